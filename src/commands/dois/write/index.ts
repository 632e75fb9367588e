import { EVENTS, STATES } from '../../../api/states.ts';
import { command, type Declaration } from '../../../cli/declare.ts';
import {
  argument,
  choiceOption,
  expert,
  formatOption,
  group,
  jobsOption,
  listOption,
  offering,
  option,
  outOption,
  rateOption,
  repeatable,
  required,
} from '../../../cli/options.ts';
import { parseLandingPage } from '../../../metadata/landing-page.ts';
import { RESOURCE_TYPES } from '../../../metadata/resource-types.ts';
import { parseDoi, parsePrefix } from '../../../text/doi.ts';
import { parseInteger, parseRepository, parseText } from '../../../text/parsers.ts';
import { parseAssignment } from '../../../writing/set.ts';
import type { WriteFlags } from '../bulk/input.ts';
import { parseCreator, parseMapping, parseNewDoi, parseReason } from './attributes.ts';
import type { StateVerb } from './change.ts';

const FORMATS = ['text', 'json', 'ndjson'];
const MAP =
  'meaning of a column, such as Title=titles[0].title; an empty path ignores it; repeatable';
const mapOption = () => expert(listOption('--map <column=path>', MAP, parseMapping));
const FILE =
  'a record as JSON or XML; many as NDJSON, CSV, TSV, a folder or several files of XML; ' +
  '- for stdin';
const fileOption = () => repeatable(option('--file <path>', FILE, parseText));
const noValidate = () => option('--no-validate', 'do not check the record first');

/** The options that exclude --file. --url does not: XML contains no URL. */
const DESCRIBING = 'doi title creator publisher year type description subject'.split(' ');

const outputOptions = (dryRun: string) => [
  option('--dry-run', `print what ${dryRun}, and send nothing`),
  formatOption(
    FORMATS,
    'output format',
    'text on a terminal, else json, or ndjson for several records',
  ),
  outOption('write the results of many records to this file'),
];

/** @param where the confirmation is required without a terminal. */
const yesOption = (where = ' with --where') =>
  option('--yes', `skip the confirmation; required${where} without a terminal`);

const whereOption = () =>
  offering(
    WHERE_STARTS,
    listOption(
      '--where <filter=value>',
      'all DOIs of the account that match, such as state=draft; repeatable',
      parseText,
    ),
  );
/** The names of filters are checked by the command. */
const WHERE_STARTS = 'state prefix created registered updated query resource-type-id'
  .split(' ')
  .map((name) => `${name}=`);

const bulkOptions = () =>
  expert(
    jobsOption('records'),
    rateOption(),
    option(
      '--ledger <path>',
      'file that records what was sent (default: next to the input file)',
      parseText,
    ),
    option('--fail-fast', 'stop at the first record that fails'),
  );

export const validate = command({
  options: [
    repeatable(
      option('--file <path>', 'one or more records, as for create; - for stdin', parseText),
    ),
    option('--mine', 'the stored records of the account in use').conflicts('map'),
    whereOption().conflicts('map'),
    ...mapOption(),
    choiceOption('--event <event>', EVENTS, 'check for the state that this event leads to'),
    choiceOption('--state <state>', STATES, 'check for this state')
      .default(undefined, 'the state that the record asks for')
      .conflicts('event'),
    formatOption(FORMATS, 'readable lines, or the findings of each record').default('text'),
    outOption('write the stored records with findings as CSV or TSV, to be edited'),
    ...expert(option('--strict', 'exit with 1 also for warnings')),
  ],
  examples: [
    'doi-cli dois validate --file record.json --event publish',
    'doi-cli dois validate --mine --out fix.csv',
    'doi-cli dois validate --where state=draft --event publish',
    'doi-cli dois list --limit 3 | doi-cli dois validate --file - --format json',
  ],
  load: async () => (await import('./validate.ts')).validateCommand,
});

/** The event `show` is for Registered records. */
const NEW_EVENTS = EVENTS.filter((event) => event !== 'show');
const URL = 'the landing page; {doi}, {prefix} and {suffix} stand for those of the record';
const CREATOR = '"Family, Given" or an organization, then ;orcid=… and ;affiliation=…; repeatable';

const create: Declaration = {
  options: [
    ...group(
      'Input',
      fileOption().conflicts(DESCRIBING),
      ...mapOption(),
      choiceOption(
        '--template <format>',
        ['csv', 'tsv'],
        'print a spreadsheet to fill in',
      ).conflicts('file event doi prefix'.split(' ')),
    ),
    ...group(
      'Record',
      option('--doi <doi>', 'a DOI, or a prefix: the service adds a suffix', parseNewDoi).conflicts(
        'prefix',
      ),
      option(
        '--prefix <prefix>',
        "prefix for records without a DOI (default: the profile's)",
        parsePrefix,
      ),
      listOption('--title <title>', 'a title; repeatable', parseText),
      listOption('--creator <name>', CREATOR, parseCreator),
      option('--publisher <name>', 'the publisher', parseText),
      option('--year <year>', 'the year of publication', parseInteger(1000, 9999)),
      offering(
        RESOURCE_TYPES,
        option('--type <type>', 'the general type, such as Dataset or Text', parseText),
      ),
      option('--url <url>', URL, parseLandingPage),
      choiceOption('--event <event>', NEW_EVENTS, 'the event that sets the state').default(
        undefined,
        'the DOI stays a Draft',
      ),
    ),
    ...group('Output', ...outputOptions('the service would hold')),
    ...bulkOptions(),
    ...expert(
      listOption('--description <text>', 'an abstract; repeatable', parseText),
      listOption('--subject <subject>', 'a subject or keyword; repeatable', parseText),
      noValidate(),
    ),
  ],
  examples: [
    'doi-cli dois create --file record.json --event publish',
    'doi-cli dois create --file records.ndjson --event register > results.ndjson',
    'doi-cli dois create --prefix 10.5072 --title "A test" \\\n' +
      '      --creator "Doe, Jane;orcid=0000-0002-1825-0097" \\\n' +
      '      --publisher Me --year 2026 --type Dataset --url https://example.org/1',
    'doi-cli dois create --template csv > dois.csv',
    `echo '{"prefix":"10.5072","titles":[{"title":"A"}]}' | \\\n` +
      '      doi-cli dois create --file - --dry-run',
  ],
  load: async () => (await import('./create.ts')).createDoiCommand,
};

const SET =
  'set one value, text or JSON, such as titles[0].title=Text; [] adds an item; repeatable';

const update: Declaration = {
  arguments: [argument('[doi]', 'the DOI (default: those of --file or --where)', parseDoi)],
  options: [
    fileOption(),
    ...mapOption(),
    listOption('--set <path=value>', SET, parseAssignment),
    choiceOption('--event <event>', EVENTS, 'the event that changes the state'),
    whereOption(),
    yesOption(' with --where or --restore'),
    ...outputOptions('would change'),
    ...bulkOptions(),
    ...expert(
      option('--overwrite', 'replace values that others have changed since the export'),
      option('--restore', 'put the exported values of a table back').conflicts(
        'set event where overwrite'.split(' '),
      ),
      noValidate(),
    ),
  ],
  examples: [
    'doi-cli dois update 10.5072/abc --file record.json',
    'doi-cli dois update --file updates.ndjson > results.ndjson',
    "doi-cli dois update --file dois.txt --set 'url=https://example.org/{suffix}'",
    'doi-cli dois update --where created=2026 --set language=en --yes',
    'doi-cli dois update 10.5072/abc --set url=https://example.org/new \\\n' +
      '      --set publicationYear=2026',
    `doi-cli dois update 10.5072/abc --set 'subjects[]={"subject":"one more"}' \\\n` +
      '      --dry-run',
  ],
  load: async () => (await import('./update.ts')).updateDoiCommand,
};

/** A repository account in the spelling of records (service.md, F13). */
const parseTarget = (text: string) => parseRepository(text).toLowerCase();

/** The commands that can change all DOIs of a query. */
const WITH_WHERE: readonly StateVerb[] = ['publish', 'register', 'hide'];

const change = (
  name: StateVerb,
  examples: readonly string[],
  options: NonNullable<Declaration['options']> = [],
): Declaration => {
  const hasWhere = WITH_WHERE.includes(name);
  const others = hasWhere ? '--file or --where' : '--file';
  return {
    arguments: [argument('[doi...]', `one or more DOIs (default: those of ${others})`, parseDoi)],
    options: [
      ...options,
      option('--file <path>', 'DOIs, records or results, one per line; - for stdin', parseText),
      ...(name === 'publish' ? [whereOption()] : []),
      yesOption(hasWhere ? undefined : ''),
      ...outputOptions('would change'),
      ...bulkOptions(),
      ...(hasWhere && name !== 'publish' ? expert(whereOption()) : []),
    ],
    examples,
    load: async () => {
      const { changeCommand } = await import('./change.ts');
      return (context, dois: readonly string[], options: WriteFlags) =>
        changeCommand(context, name, dois, options);
    },
  };
};

const target = required('--to <repository>', 'the repository account that gets them', parseTarget);
const reason = option('--reason <text>', 'reason, which the record keeps', parseReason);

/** The commands of `doi-cli dois …` that write or check records. */
export const writeCommands = {
  validate,
  create,
  update,
  publish: change(
    'publish',
    [
      'doi-cli dois publish 10.5072/abc',
      'doi-cli dois publish --file results.ndjson',
      'doi-cli dois publish --where state=draft --dry-run',
    ],
    expert(noValidate()),
  ),
  register: change(
    'register',
    [
      'doi-cli dois register 10.5072/abc',
      'doi-cli dois register --where state=draft --where created=7d.. --yes',
    ],
    expert(noValidate()),
  ),
  hide: change(
    'hide',
    [
      'doi-cli dois hide 10.5072/found',
      'doi-cli dois hide 10.5072/found --reason "Withdrawn by its authors"',
    ],
    expert(noValidate(), reason),
  ),
  transfer: change(
    'transfer',
    [
      'doi-cli dois transfer 10.5072/found --to DEMO.OTHER --dry-run',
      'doi-cli dois transfer --file dois.txt --to DEMO.OTHER --yes > results.ndjson',
    ],
    [target],
  ),
  delete: change('delete', [
    'doi-cli dois delete 10.5072/abc',
    'doi-cli dois delete 10.5072/abc --yes',
    'doi-cli dois delete --file results.ndjson --dry-run',
  ]),
} satisfies Readonly<Record<string, Declaration>>;
