import { Context } from './cli/context.ts';
import { DeclaredCommand, declare, declareHelp, isWrong, type RunCommand, Stopped } from './cli/declare.ts';
import { styledHelp } from './cli/help-text.ts';
import type { GlobalOptions, Host } from './cli/host.ts';
import { withJoinedValues } from './cli/option-values.ts';
import { InvalidValue, option } from './cli/options.ts';
import { auth } from './commands/auth/index.ts';
import { completion } from './commands/completion/index.ts';
import { config } from './commands/config/index.ts';
import { datafile } from './commands/datafile/index.ts';
import { doctor } from './commands/doctor/index.ts';
import { dois } from './commands/dois/index.ts';
import { emulator } from './commands/emulator/index.ts';
import { keys } from './commands/keys/index.ts';
import { mds } from './commands/mds/index.ts';
import { RETRIES, TIMEOUT_MS } from './core/defaults.ts';
import { CliError, ClosedPipe, toCliError } from './errors.ts';
import { parseBaseUrl, parseDurationUpTo, parseInteger, parseMailto, parseText } from './text/parsers.ts';
import { Redactor } from './text/redact.ts';
import { Look, wantsColor } from './ui/look.ts';
import { Messages } from './ui/messages.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line and returns its exit code. Every error ends here, as one message on stderr.
 * @param argv the arguments after the program's name.
 */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const redactor = new Redactor();
  const messages = new Messages(host.stderr, redactor);
  const look = stderrLook(host, !ownWords(argv).includes('--no-color'));
  messages.configure({ json: wantsJsonErrors(argv), look });
  for (const name of ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY']) redactor.addSecret(host.env[name] ?? '');
  try {
    const exitCode = await parse(argv, host, messages, redactor);
    return exitCode ?? (host.signal.aborted ? toCliError(host.signal.reason).exitCode : 0);
  } catch (error) {
    const stop = host.signal.aborted ? toCliError(host.signal.reason) : undefined;
    if (error instanceof ClosedPipe && stop === undefined) return 0;
    // A CliError of an interrupted command may hold what must not be lost. Other errors are caused by the
    // interrupt.
    const known = error instanceof CliError || stop === undefined ? toCliError(error) : stop;
    // The terminal has shown ^C on the line.
    if (known.kind === 'interrupted' && host.terminal.stdin && host.terminal.stderr) messages.always('');
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
  let help = '';
  let exitCode: number | undefined;
  const run: RunCommand = async (load, args, options) => {
    const { format, quiet, verbose } = options;
    const look = stderrLook(host, options.color);
    messages.configure({ quiet, verbose, json: format === 'json' || format === 'ndjson', look });
    const context = new Context(host, options, messages, redactor);
    try {
      const handler = await load();
      const result: unknown = await handler(context, ...([...args, options] as never[]));
      if (typeof result === 'number') exitCode = result;
      context.requireOwnWrites();
    } finally {
      await context.close();
    }
  };
  const print = (text: string) => {
    help += text;
  };
  const isTyped = (name: string) => argv.includes(name);
  // A completion script needs all commands.
  const all = isTyped('completion') && !isTyped('help');
  const program = buildProgram(run, print, all ? undefined : isTyped);
  try {
    await program.parseAsync(withJoinedValues(argv, program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof Stopped || error instanceof InvalidValue)) throw error;
    if (error instanceof InvalidValue || isWrong(error)) {
      const { explained } = await import('./cli/wrong-command-line.ts');
      throw explained(error, argv, buildProgram(run, print));
    }
    const options = program.opts<GlobalOptions>();
    await new Context(host, options, messages, redactor).page((look) => styledHelp(help, look));
  }
  return exitCode;
}

/** How stderr looks. @param color false with `--no-color`. */
function stderrLook({ env, terminal }: Host, color: boolean): Look {
  return terminal.stderr ? Look.ofTerminal(env, wantsColor(env, color)) : Look.plain;
}

const globalOptions = () => [
  option('--base-url <url>', 'base URL of the service (env: DOI_CLI_BASE_URL)', parseBaseUrl),
  option('--test', "use the service's test system"),
  option('--profile <name>', 'use the settings of this profile (env: DOI_CLI_PROFILE)', parseText),
  option('--mailto <address>', 'your email address, for the service; raises the rate limit', parseMailto),
  option('--anonymous', 'send no credentials (only to read DOIs)'),
  option('--probe-credentials', 'prove credentials with an extra request, where a proxy removes headers'),
  option(
    '--timeout <duration>',
    'maximum wait for one response, up to 24h',
    parseDurationUpTo('24h', 1),
  ).default(TIMEOUT_MS, '120s'),
  option('--retries <n>', 'retries per request', parseInteger(0, 100)).default(RETRIES),
  option('--no-input', 'never ask questions'),
  option('--no-color', 'print no colours (env: NO_COLOR)'),
  option('--no-pager', 'print long output as it is, not through a pager (env: DOI_CLI_PAGER, PAGER)'),
  option('--wide', 'show all columns of a table uncut, even if it gets wider than the terminal'),
  option('--quiet', 'print only errors on stderr'),
  option('--verbose', 'trace each request on stderr, with secrets masked'),
];

/**
 * Builds the command tree with its help texts.
 * @param print receives the help texts and version that commander prints.
 * @param isTyped returns whether a name is on the command line; see {@link declare}. Without it the tree has all
 *   commands, except for the `help` of groups; declaring them takes as long as the rest of the start-up.
 */
export function buildProgram(
  run: RunCommand,
  print: (text: string) => void,
  isTyped: (name: string) => boolean = (name) => name !== 'help',
): DeclaredCommand {
  const program = new DeclaredCommand('doi-cli')
    .description('API keys, DOI harvesting and DOI maintenance for the DataCite DOI registration service')
    .version(VERSION, '-V, --version', 'print the version')
    .usage('[options] <command>')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => undefined })
    .showSuggestionAfterError(false)
    .stopsByName();
  program.examples = [
    'doi-cli keys create --name ci',
    'doi-cli dois list --all --provider-id caltech > dois.ndjson',
    'doi-cli emulator exec --records 1000 -- doi-cli dois list --count',
  ];
  for (const each of globalOptions()) program.addOption(each);
  for (const noun of [auth, keys, dois, mds, datafile, emulator, config, doctor, completion(program)]) {
    declare(program, noun, run, isTyped);
  }
  declareHelp(program, { hidden: false });
  return program;
}

/** Whether to print errors as JSON. It also works for a command line that commander cannot parse. */
function wantsJsonErrors(argv: readonly string[]): boolean {
  const own = ownWords(argv);
  return own.some(
    (word, index) =>
      /^(--format=)?(json|nd-?json)$/.test(word) && (word.includes('=') || own[index - 1] === '--format'),
  );
}

/** The command line without the words of another command after `--`. */
function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
