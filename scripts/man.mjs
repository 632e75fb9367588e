// Makes the manual page of the command tree.

const EXIT_CODES = [
  ['0', 'success'],
  ['1', 'the service refused, or something unexpected happened'],
  ['2', 'the command line or an input file is wrong, and nothing was sent'],
  [
    '3',
    'a harvest stopped before its end; what is written is valid, and the same command continues',
  ],
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
 * The page of the program and all of its commands.
 * @param {typeof import('../src/program.ts').buildProgram} buildProgram
 * @param {string} version
 * @returns {Promise<string>}
 */
export async function manPage(buildProgram, version) {
  const program = buildProgram({ isComplete: true });
  await program.declareAll();
  return [
    `.TH DOI\\-CLI 1 "" "doi-cli ${version}" "User Commands"`,
    section('NAME', `doi\\-cli \\- ${text(program.description())}`),
    section('SYNOPSIS', synopsis(program)),
    section('OPTIONS', options(program)),
    section('COMMANDS', below(program).map(commandText).join('\n')),
    section('ENVIRONMENT', list(ENVIRONMENT)),
    section('EXIT STATUS', list(EXIT_CODES)),
    section('EXAMPLES', examples(program)),
    '',
  ].join('\n');
}

function commandText(command) {
  const description = command.description();
  const help = command.createHelp();
  const operands = command.registeredArguments.map((one) => [
    one.name(),
    help.argumentDescription(one),
  ]);
  return [
    `.SS ${text(pathOf(command))}`,
    text(`${description.charAt(0).toUpperCase()}${description.slice(1)}`),
    `.PP\n${synopsis(command)}`,
    list(operands),
    options(command),
    `.PP\n${examples(command)}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The commands below one that do something themselves. */
function below(command) {
  const children = command.createHelp().visibleCommands(command);
  return children.flatMap((child) => [
    ...(child.usage() === '<command>' ? [] : [child]),
    ...(child.name() === 'help' ? [] : below(child)),
  ]);
}

function options(command) {
  const help = command.createHelp();
  return list(
    help.optionsOf(command).map((option) => [option.flags, help.optionDescription(option)]),
  );
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
