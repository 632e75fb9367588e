// Makes the manual pages of the command tree, the source of --help, too: one for the program, one for each of its
// commands with all that is below it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

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
 * @param program the command tree, see {@link commandTree}
 * @param {string} version
 * @returns {Map<string, string>}
 */
export function manPages(program, version) {
  const pages = program.commands.filter((command) => command.name() !== 'help');
  const names = ['doi-cli', ...pages.map((command) => `doi-cli-${command.name()}`)];
  const page = (name, description, sections) =>
    [
      `.TH ${name.toUpperCase()} 1 "" "doi-cli ${version}" "User Commands"`,
      section('NAME', `${text(name)} \\- ${text(description)}`),
      ...sections,
      section(
        'SEE ALSO',
        `${names
          .filter((each) => each !== name)
          .map(reference)
          .join(', ')}`,
      ),
      '',
    ].join('\n');
  return new Map([
    ['doi-cli.1', page('doi-cli', program.description(), programSections(program))],
    ...pages.map((command) => {
      const name = `doi-cli-${command.name()}`;
      return [`${name}.1`, page(name, command.description(), commandSections(command, program))];
    }),
  ]);
}

/**
 * The command tree of the sources, without the code of the commands.
 * @param {string} root the project's folder
 * @param {{ version: string, homepage: string }} manifest package.json
 * @param {import('esbuild').Plugin[]} plugins of the build of the program
 */
export async function commandTree(root, { version, homepage }, plugins) {
  const folder = await mkdtemp(join(tmpdir(), 'doi-cli-man-'));
  const lazy = {
    name: 'lazy',
    setup: ({ onResolve }) =>
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      ),
  };
  try {
    const outfile = join(folder, 'program.mjs');
    await build({
      absWorkingDir: root,
      entryPoints: ['src/program.ts'],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      plugins: [lazy, ...plugins],
      define: {
        __DOI_CLI_VERSION__: JSON.stringify(version),
        __DOI_CLI_HOMEPAGE__: JSON.stringify(homepage),
      },
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
      },
      logLevel: 'warning',
    });
    const { buildProgram } = await import(pathToFileURL(outfile).href);
    return buildProgram(
      async () => undefined,
      () => undefined,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

function programSections(program) {
  const commands = program.commands.map((command) => {
    const name = command.name();
    return [
      name,
      name === 'help' ? command.description() : `${command.description()}; see doi-cli-${name}(1)`,
    ];
  });
  return [
    section('SYNOPSIS', `${bold('doi-cli')} ${text(program.usage())}`),
    section('COMMANDS', list(commands)),
    section('OPTIONS', optionLists(program)),
    section('ENVIRONMENT', list(ENVIRONMENT)),
    section('EXIT STATUS', list(EXIT_CODES)),
    section('EXAMPLES', examples(program).replace(/^\.PP\n/, '')),
  ];
}

function commandSections(command, program) {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  const runnable = [...(isGroup ? [] : [command]), ...below(command)];
  return [
    section('SYNOPSIS', `${bold(pathOf(command))} ${text(command.usage())}`),
    ...runnable.map((each) => {
      const operands = each.registeredArguments.map((operand) => {
        const help = each.createHelp();
        return [operand.name(), help.argumentDescription(operand)];
      });
      return [
        section(text(pathOf(each)), text(sentence(each.description()))),
        `.PP\n${bold(pathOf(each))} ${text(each.usage())}`,
        list(operands),
        optionLists(each),
        `.PP\nExamples:\n${examples(each)}`,
      ]
        .filter((part) => part !== '')
        .join('\n');
    }),
    section('OPTIONS OF ALL COMMANDS', `See ${reference(program.name())}.`),
  ];
}

/** The commands below one that do something themselves. */
function below(command) {
  return command.commands.flatMap((child) => [
    ...(child.commands.length === 0 || child.options.length > 0 ? [child] : []),
    ...below(child),
  ]);
}

function optionLists(command) {
  const help = command.createHelp();
  return help
    .groupsOf(command)
    .filter(([, options]) => options.length > 0)
    .map(([title, options], _, all) => {
      const rows = options.map((option) => [option.flags, help.optionDescription(option)]);
      return `${all.length === 1 ? '' : `.PP\n${text(title)}:\n`}${list(rows)}`;
    })
    .join('\n');
}

function examples(command) {
  return command.examples.map((line) => `.PP\n.nf\n.RS\n${text(line)}\n.RE\n.fi`).join('\n');
}

function list(rows) {
  return rows
    .map(([term, description]) => {
      const words = text(term).replace(/<[^>]*>|\[[^\]]*\]/g, (operand) => `\\fI${operand}\\fB`);
      return `.TP\n\\fB${words}\\fR\n${text(description)}`;
    })
    .join('\n');
}

const section = (title, body) => `.SH ${title}\n${body}`;
const bold = (words) => `\\fB${text(words)}\\fR`;
const reference = (name) => `${bold(name)}(1)`;
const pathOf = (command) =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A text that roff prints as it is. */
function text(/** @type {string} */ words) {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, '\\&$&')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replace(
      /[^\x20-\x7e]/gu,
      (letter) => `\\[u${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
