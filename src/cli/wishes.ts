/** What people type who know other programs, and what this one calls it. */

type Wish = readonly [words: string, answers: readonly string[]];

const SECRET = 'no option takes a secret: set DOI_CLI_API_KEY or DOI_CLI_PASSWORD, or use doi-cli auth login';
const ACCOUNT = 'set DOI_CLI_REPOSITORY, or use doi-cli auth login --repository <id>';

/** Options: the first answer counts whose option the command has, or that is none. */
const OPTIONS: readonly Wish[] = [
  [
    'since from after newer-than',
    ['--updated-since 7d or --created-since 7d', "--query 'updated:[2024-05-01 TO *]'"],
  ],
  [
    'until to before older-than',
    ['--updated-until 7d or --created-until 7d', "--query 'updated:[* TO 2024-05-01]'"],
  ],
  ['json', ['--format json']],
  ['ndjson jsonl jsonlines', ['--format ndjson']],
  ['csv', ['--format csv']],
  ['table', ['--format table']],
  ['output output-file outfile', ['--out <file>', '--format <format>']],
  ['input in path from-file filename', ['--file <path>']],
  ['f', ['--file <path>', '--format <format>']],
  ['force assume-yes confirm y', ['--yes']],
  ['silent s', ['--quiet']],
  ['debug trace', ['--verbose']],
  ['v', ['--verbose, or -V for the version']],
  ['token key api-key apikey password pass secret', [SECRET]],
  ['user username account u', ['--repository <id>', ACCOUNT]],
  ['client repo', ['--client-id <id>', '--repository <id>', ACCOUNT]],
  ['repository', ['--client-id <id>', ACCOUNT]],
  ['provider member', ['--provider-id <id>']],
  ['url', ['--set url=<url>', '--base-url <url>']],
  ['host endpoint server api', ['--base-url <url>']],
  ['sandbox staging dev testing', ['--test']],
  ['resource-type type', ['--resource-type-id <id>', '--set types.resourceTypeGeneral=<type>']],
  ['title', ["--set 'titles[0].title=<title>'", "--query 'titles.title:<word>'"]],
  ['creator author', ['--set \'creators[]={"name":"<name>"}\'', "--query 'creators.name:<word>'"]],
  ['publisher', ['--set publisher=<name>', "--query 'publisher.name:<word>'"]],
  ['year', ['--set publicationYear=<year>', '--created <years>']],
  ['state', ['--event <event>']],
  ['publish', ['--event publish']],
  ['search q', ['--query <query>']],
  ['order order-by sort-by', ['--sort <order>']],
  ['max max-results top n', ['--limit <n>']],
  ['per-page size rows batch-size', ['--page-size <n>']],
  ['parallel concurrency workers threads j', ['--jobs <n>']],
  ['compress z', ['--gzip']],
  ['directory folder d', ['--dir <directory>']],
  ['dryrun simulate', ['--dry-run']],
  ['config c', ['set DOI_CLI_CONFIG_DIR to another directory of settings']],
];

/** Commands, each by its name or the whole of it. */
const COMMANDS: readonly Wish[] = [
  ['ls all', ['list']],
  ['rm remove del destroy', ['delete', 'revoke', 'unset', 'logout']],
  ['delete', ['revoke', 'unset']],
  ['new add mint make', ['create', 'set']],
  ['show view cat read info describe', ['get', 'status', 'list']],
  ['edit modify change patch', ['update', 'set']],
  ['sync mirror dump export clone', ['harvest']],
  ['lint check', ['validate']],
  ['whoami', ['doi-cli auth status']],
  ['init setup configure', ['doi-cli auth login']],
  ['search find query', ['doi-cli dois list --query <query>']],
  ['count', ['doi-cli dois list --count']],
  ['version', ['doi-cli --version']],
  ['start serve', ['doi-cli emulator start']],
];

/**
 * The answer to an option that a command does not have.
 * @param name the option without its dashes.
 * @param has returns whether the command takes an option, and the value after it.
 */
export function optionFor(name: string, has: (option: string, value: string) => boolean): string | undefined {
  const answers = answersTo(OPTIONS, name);
  return answers.find((answer) => {
    const [option = '', value = ''] = answer.split(/,? /);
    return !option.startsWith('--') || has(option, value);
  });
}

/** The names of commands, or whole command lines, that may be meant by an unknown command. */
export function commandsFor(name: string): readonly string[] {
  return answersTo(COMMANDS, name);
}

function answersTo(wishes: readonly Wish[], name: string): readonly string[] {
  return wishes.filter(([words]) => words.split(' ').includes(name)).flatMap(([, answers]) => answers);
}
