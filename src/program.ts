import type { OutputConfiguration } from 'commander';
import { Context } from './cli/context.ts';
import { DeclaredCommand, type DeferredSpec, type RunCommand } from './cli/declare.ts';
import { expert, group, option, ownWords } from './cli/options.ts';
import { RETRIES, TIMEOUT_MS } from './core/defaults.ts';
import { CliError, ClosedPipe, toCliError } from './errors.ts';
import { readEnvironment, SECRETS } from './settings/environment.ts';
import { parseDurationUpTo, parseInteger, parseMailto, parseText } from './text/parsers.ts';
import { Redactor } from './text/redact.ts';
import { parseApiUrl } from './text/url.ts';
import type { GlobalOptions, Host } from './ui/host.ts';
import { wantsColor } from './ui/look.ts';
import { Messages } from './ui/messages.ts';
import { VERSION } from './version.ts';

/** The widest help that reads well. */
const MAX_HELP_WIDTH = 100;

/**
 * Runs one command line and returns its exit code. Every error ends here, as one message on stderr.
 */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const redactor = new Redactor();
  const messages = new Messages(host.stderr, redactor);
  const color = hasColor(host, !ownWords(argv).includes('--no-color'));
  const wrap = host.terminal.stderr ? await wrapAt(host.terminal) : undefined;
  messages.configure({ json: wantsJsonErrors(argv), color, wrap });
  for (const name of SECRETS) {
    const secret = host.env[name] ?? '';
    // A blank secret is refused later, and masking blanks would hide the reason.
    if (secret.trim() !== '') redactor.addSecret(secret);
  }
  try {
    const exitCode = await parse(argv, host, messages, redactor);
    return exitCode ?? (host.signal.aborted ? toCliError(host.signal.reason).exitCode : 0);
  } catch (error) {
    const stop = host.signal.aborted ? toCliError(host.signal.reason) : undefined;
    if (error instanceof ClosedPipe && stop === undefined) return 0;
    // A CliError of an interrupted command may contain facts that must not be lost; other errors
    // are only consequences of the interrupt.
    const known = error instanceof CliError || stop === undefined ? toCliError(error) : stop;
    // The terminal shows ^C on this line.
    if (known.kind === 'interrupted' && host.terminal.stdin && host.terminal.stderr)
      messages.always('');
    messages.report(known);
    if (host.env['DOI_CLI_DEBUG'] === '1') messages.debug(error);
    return (stop ?? known).exitCode;
  } finally {
    await messages.flush();
  }
}

async function parse(
  argv: readonly string[],
  host: Host,
  messages: Messages,
  redactor: Redactor,
): Promise<number | undefined> {
  let text = '';
  let exitCode: number | undefined;
  const run: RunCommand = async (load, args, options) => {
    const { format, quiet, verbose } = options;
    const json = format === 'json' || format === 'ndjson';
    messages.configure({ quiet, verbose, json, color: hasColor(host, options.color) });
    const { env, warnings } = readEnvironment(host.env);
    for (const name of SECRETS) redactor.addSecret(env[name]?.trim() ?? '');
    for (const warning of warnings) messages.warn(warning);
    const context = new Context(withEnvironment(host, env), options, messages, redactor, argv);
    try {
      const handler = await load();
      const result: unknown = await handler(context, ...([...args, options] as never[]));
      if (typeof result === 'number') exitCode = result;
      context.services.requireOwnWrites();
    } finally {
      await context.services.close();
    }
  };
  const print = (part: string) => {
    text += part;
  };
  const ownArgv = ownWords(argv);
  // Commander's `help` accepts only one name.
  const path = argv[0] === 'help' ? argv.slice(1).filter((word) => word !== '--') : [];
  const words = path.length > 0 ? [...path, '--help'] : argv;
  const { stdout, columns } = host.terminal;
  const program = buildProgram({
    run,
    argv: words,
    isComplete: ownArgv.includes('--all'),
    output: {
      writeOut: print,
      writeErr: print,
      // Commander also throws this text as an error.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min((stdout && columns) || 80, MAX_HELP_WIDTH),
      getOutHasColors: () => stdout && wantsColor(host.env, !ownArgv.includes('--no-color')),
    },
  });
  await program.parseAsync(words, { from: 'user' });
  if (text !== '') {
    const options = {
      ...program.allOptions<GlobalOptions>(),
      pager: !ownArgv.includes('--no-pager'),
    };
    await new Context(host, options, messages, redactor).page(() => text);
  }
  return exitCode;
}

/** A host with another environment. A plain copy would call the getter of stdin, which opens it. */
function withEnvironment(host: Host, env: Host['env']): Host {
  const members = Object.getOwnPropertyDescriptors(host);
  return Object.defineProperties({}, { ...members, env: { ...members.env, value: env } }) as Host;
}

/** Wraps lines at the width of a terminal. What measures text is slow to load. */
async function wrapAt(terminal: Host['terminal']): Promise<(line: string) => string> {
  const { wrapMessage } = await import('./ui/width.ts');
  return (line) => {
    const columns = terminal.columns || Number.POSITIVE_INFINITY;
    return line.length > columns ? wrapMessage(line, columns) : line;
  };
}

/** Whether stderr has colours. @param option false with `--no-color`. */
function hasColor({ env, terminal }: Host, option: boolean): boolean {
  return terminal.stderr && wantsColor(env, option);
}

const TIMEOUT =
  'longest wait for a response and for each further part (at least 1 KB/s), up to 24h';
const globalOptions = () => [
  ...group(
    'Global options',
    option('--base-url <url>', 'base URL of the service (env: DOI_CLI_BASE_URL)', parseApiUrl),
    option('--test', "use the service's test system"),
    option(
      '--profile <name>',
      'use the settings of this profile (env: DOI_CLI_PROFILE)',
      parseText,
    ),
    option(
      '--mailto <address>',
      'email address to send with requests; raises the rate limit',
      parseMailto,
    ),
    option('--anonymous', 'send no credentials; for reading DOIs only'),
    option('--no-input', 'never ask questions'),
    option('--quiet', 'print only errors on stderr'),
    option('--verbose', 'trace each request on stderr, with secrets masked'),
  ),
  ...expert(
    option('--timeout <duration>', TIMEOUT, parseDurationUpTo('24h', 1)).default(
      TIMEOUT_MS,
      '120s',
    ),
    option('--retries <n>', 'retries per request', parseInteger(0, 100)).default(RETRIES),
    option(
      '--probe-credentials',
      'verify credentials by a request, for proxies that remove headers',
    ),
    option('--wide', 'show all columns of a table uncut, even beyond the width of the terminal'),
    option('--no-color', 'print no colors (env: NO_COLOR)'),
    option('--no-pager', 'do not use a pager (env: DOI_CLI_PAGER, PAGER)'),
  ),
];

interface ProgramOptions {
  /** Runs a command's code; by default, commands do nothing. */
  readonly run?: RunCommand;
  readonly argv?: readonly string[];
  readonly isComplete?: boolean;
  readonly output?: OutputConfiguration;
}

/** The nouns, in the order of the help. The folder of each declares its commands. */
const nouns = (program: DeclaredCommand): readonly DeferredSpec[] => [
  {
    name: 'auth',
    description: 'store credentials in the keychain of the operating system',
    declaration: async () => (await import('./commands/auth/index.ts')).auth,
  },
  {
    name: 'keys',
    description:
      'create, list, rotate, prune, audit and revoke the API keys of a repository account',
    declaration: async () => (await import('./commands/keys/index.ts')).keys,
  },
  {
    name: 'dois',
    description: 'list, harvest, read, create and maintain DOIs',
    declaration: async () => (await import('./commands/dois/index.ts')).dois,
  },
  {
    name: 'api',
    description: 'send a request to any endpoint of the service: events, accounts, prefixes',
    declaration: async () => (await import('./commands/api/index.ts')).api,
  },
  {
    name: 'config',
    description: 'settings of a profile: base-url, repository, mailto, prefix; never a secret',
    declaration: async () => (await import('./commands/config/index.ts')).config,
  },
  {
    name: 'doctor',
    description:
      'check Node.js, settings, keychain, network, clock and credentials, and suggest fixes',
    declaration: async () => (await import('./commands/doctor/index.ts')).doctor,
  },
  {
    name: 'completion',
    description: 'print or install a completion script for a shell',
    declaration: async () => (await import('./commands/completion/index.ts')).completion(program),
  },
  {
    name: 'emulator',
    description: 'a local emulator of the service, for trials, tests and CI',
    declaration: async () => (await import('./commands/emulator/index.ts')).emulator,
  },
  {
    name: 'datafile',
    description:
      'the monthly data file: the metadata of all Findable DOIs, for members of the service',
    declaration: async () => (await import('./commands/datafile/index.ts')).datafile,
  },
];

/**
 * The command tree. It declares only the nouns; {@link DeclaredCommand.declareAll} declares the
 * rest.
 */
export function buildProgram({
  run = async () => undefined,
  argv = [],
  isComplete = false,
  output = {},
}: ProgramOptions = {}): DeclaredCommand {
  const options = globalOptions();
  const program = new DeclaredCommand('doi-cli', { run, argv, isComplete, options })
    .description(
      'API keys, DOI harvesting and DOI maintenance for the DataCite DOI registration service',
    )
    .usage('[options] <command>')
    .optionsGroup('Global options:')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command...]', 'print the help of a command')
    .configureOutput(output);
  for (const each of options) program.addOption(each);
  program.examples = [
    'doi-cli keys create --name ci',
    'doi-cli dois list --all --provider-id caltech > dois.ndjson',
    'doi-cli emulator exec --records 1000 -- doi-cli dois list --count',
  ];
  for (const noun of nouns(program)) program.declare(noun);
  return program;
}

/** Whether to print errors as JSON, even for a command line that commander cannot parse. */
function wantsJsonErrors(argv: readonly string[]): boolean {
  const ownArgv = ownWords(argv);
  return ownArgv.some(
    (word, index) =>
      /^(--format=)?(json|nd-?json)$/.test(word) &&
      (word.includes('=') || ownArgv[index - 1] === '--format'),
  );
}
