// Makes the manual pages of the command tree: one for the program, and one for each of its commands with all that is
// below it.

const EXIT_CODES = [
  ['0', 'success'],
  ['1', 'the service refused, or something unexpected happened'],
  ['2', 'the command line or an input file is wrong, and nothing was sent'],
  ['3', 'a harvest stopped before its end; what is written is valid, and the same command continues'],
  ['4', 'credentials are missing, refused or insufficient'],
  ['5', 'the service or the network is unavailable after all retries'],
  ['129, 130, 143', 'stopped by SIGHUP, SIGINT or SIGTERM'],
];
const ENVIRONMENT = [
  ['DOI_CLI_API_KEY', 'an API key; used before the other credentials to read and change DOIs'],
  ['DOI_CLI_REPOSITORY, DOI_CLI_PASSWORD', 'a repository account and its password'],
  ['DOI_CLI_BASE_URL, DOI_CLI_PROFILE', 'as --base-url and --profile'],
  ['DOI_CLI_CONFIG_DIR', 'the directory of the settings, instead of the usual one of the platform'],
  ['DOI_CLI_DEBUG', '1 adds stack traces to errors'],
  ['NO_COLOR', 'no colours'],
];

/**
 * The pages by the names of their files.
 * @param {typeof import('../src/program.ts').buildProgram} buildProgram
 * @param {string} version
 * @returns {Map<string, string>}
 */
export function manPages(buildProgram, version) {
  const program = buildProgram(
    async () => undefined,
    () => undefined,
  );
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const pages = [
    ['doi-cli', program, programSections(program)],
    ...commands.map((command) => [`doi-cli-${command.name()}`, command, commandSections(command)]),
  ];
  return new Map(
    pages.map(([name, command, sections]) => {
      const others = pages.filter(([each]) => each !== name).map(([each]) => reference(each));
      const page = [
        `.TH ${name.toUpperCase()} 1 "" "doi-cli ${version}" "User Commands"`,
        section('NAME', `${text(name)} \\- ${text(command.description())}`),
        ...sections,
        section('SEE ALSO', others.join(', ')),
      ];
      return [`${name}.1`, `${page.join('\n')}\n`];
    }),
  );
}

function programSections(program) {
  const commands = program.commands.map((command) => {
    const page = command.name() === 'help' ? '' : `; see doi-cli-${command.name()}(1)`;
    return [command.name(), `${command.description()}${page}`];
  });
  return [
    section('SYNOPSIS', synopsis(program)),
    section('COMMANDS', list(commands)),
    section('OPTIONS', options(program)),
    section('ENVIRONMENT', list(ENVIRONMENT)),
    section('EXIT STATUS', list(EXIT_CODES)),
    section('EXAMPLES', examples(program)),
  ];
}

function commandSections(command) {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  const runnable = [...(isGroup ? [] : [command]), ...below(command)];
  return [
    section('SYNOPSIS', synopsis(command)),
    ...runnable.map((each) => {
      const description = each.description();
      const help = each.createHelp();
      const operands = each.registeredArguments.map((one) => [one.name(), help.argumentDescription(one)]);
      return [
        section(text(pathOf(each)), text(`${description.charAt(0).toUpperCase()}${description.slice(1)}`)),
        `.PP\n${synopsis(each)}`,
        list(operands),
        options(each),
        `.PP\nExamples:\n.PP\n${examples(each)}`,
      ]
        .filter((part) => part !== '')
        .join('\n');
    }),
    section('OPTIONS OF ALL COMMANDS', `See ${reference('doi-cli')}.`),
  ];
}

/** The commands below one that do something themselves. */
function below(command) {
  return command.commands.flatMap((child) => [
    ...(child.commands.length === 0 || child.options.length > 0 ? [child] : []),
    ...below(child),
  ]);
}

function options(command) {
  const help = command.createHelp();
  const own = help.visibleOptions(command).filter(({ long }) => command.parent === null || long !== '--help');
  return list(own.map((option) => [option.flags, help.optionDescription(option)]));
}

function list(rows) {
  return rows
    .map(([term, description]) => {
      const words = text(term).replace(/<[^>]*>|\[[^\]]*\]/g, (operand) => `\\fI${operand}\\fB`);
      return `.TP\n\\fB${words}\\fR\n${text(description)}`;
    })
    .join('\n');
}

const examples = (command) =>
  command.examples.map((line) => `.nf\n.RS\n${text(line)}\n.RE\n.fi`).join('\n.PP\n');
const synopsis = (command) => `${bold(pathOf(command))} ${text(command.usage())}`;
const section = (title, body) => `.SH ${title}\n${body}`;
const bold = (words) => `\\fB${text(words)}\\fR`;
const reference = (name) => `${bold(name)}(1)`;
const pathOf = (command) =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** A text that roff prints as it is. */
function text(/** @type {string} */ words) {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, '\\&$&')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replace(/[^\x20-\x7e]/gu, (letter) => {
      const code = letter.codePointAt(0).toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    });
}
