import { Command, CommanderError } from 'commander';
import { Context } from './cli/context.ts';
import type { GlobalOptions, Host } from './cli/host.ts';
import { argument, examples, option, type Runner, type Wanted } from './cli/options.ts';
import { addAuth } from './commands/auth/index.ts';
import { addCompletion } from './commands/completion/index.ts';
import { addConfig } from './commands/config/index.ts';
import { addDatafile } from './commands/datafile/index.ts';
import { addDois } from './commands/dois/index.ts';
import { addEmulator } from './commands/emulator/index.ts';
import { addKeys } from './commands/keys/index.ts';
import { addMds } from './commands/mds/index.ts';
import { CliError, ClosedPipe, toCliError, usageError } from './errors.ts';
import { parseBaseUrl, parseDuration, parseInteger, parseMailto, parseText } from './text/parsers.ts';
import { Redactor } from './text/redact.ts';
import { Messages } from './ui/messages.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line and returns its exit code. Every error ends here, as one message on stderr.
 * @param argv the arguments after the program's name.
 */
export async function runProgram(argv: readonly string[], host: Host): Promise<number> {
  const redactor = new Redactor();
  const messages = new Messages(host.stderr, redactor);
  messages.configure({ quiet: false, verbose: false, json: wantsJsonErrors(argv) });
  for (const name of ['DOI_CLI_PASSWORD', 'DOI_CLI_API_KEY']) redactor.addSecret(host.env[name] ?? '');
  try {
    const exitCode = await parse(argv, host, messages, redactor);
    return exitCode ?? (host.signal.aborted ? toCliError(host.signal.reason).exitCode : 0);
  } catch (error) {
    const stop = host.signal.aborted ? toCliError(host.signal.reason) : undefined;
    if (error instanceof ClosedPipe && stop === undefined) return 0;
    // An interrupted command may have something to say that must not be lost; other errors are the interrupt's doing.
    const known = error instanceof CliError || stop === undefined ? toCliError(error) : stop;
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
  const run: Runner =
    (handler) =>
    async (...args) => {
      // Commander appends the command's own options and the command itself to the arguments.
      const command = args.at(-1) as Command;
      const options = command.optsWithGlobals<GlobalOptions & { format?: string }>();
      const json = options.format === 'json' || options.format === 'ndjson';
      messages.configure({ quiet: options.quiet === true, verbose: options.verbose === true, json });
      const context = new Context(host, options, messages, redactor);
      try {
        const result = await handler(
          context,
          ...([...args.slice(0, -2), options] as HandlerArgs<typeof handler>),
        );
        if (typeof result === 'number') exitCode = result;
      } finally {
        await context.close();
      }
    };
  const print = (text: string) => {
    help += text;
  };
  const program = buildProgram(run, print, wantedBy(argv));
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const path = commandPath(program, argv);
    if (error.exitCode === 0 || argv.length === 0) {
      await host.stdout.write(help);
    } else if (error.code === 'commander.help') {
      throw usageError(`'${['doi-cli', ...argv].join(' ')}' is not a whole command`, `doi-cli ${path}--help`);
    } else {
      throw usageError(withoutValues(error), `doi-cli ${path}--help`);
    }
  }
  return exitCode;
}

type HandlerArgs<Handler> = Handler extends (context: Context, ...args: infer Args) => unknown ? Args : never;

/**
 * To declare all commands takes as long as everything else at the start: those of the nouns on the command line are
 * enough. A completion script is made of all of them.
 */
function wantedBy(argv: readonly string[]): Wanted {
  const all = argv.includes('completion');
  return (noun) => all || argv.includes(noun.name());
}

/**
 * The command tree with its help texts: all nouns, and the commands of those that are wanted. Actions run through `run`;
 * what commander prints goes to `print`.
 */
export function buildProgram(
  run: Runner,
  print: (text: string) => void,
  wanted: Wanted = () => true,
): Command {
  const program = new Command('doi-cli')
    .description('API keys, DOI harvesting and DOI maintenance for the DataCite DOI registration service')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => undefined })
    .exitOverride();
  program
    .option('--base-url <url>', 'the service (env: DOI_CLI_BASE_URL)', argument(parseBaseUrl))
    .option('--test', "the service's test system")
    .option('--profile <name>', 'a named set of settings (env: DOI_CLI_PROFILE)', argument(parseText))
    .option(
      '--mailto <address>',
      'tell the service whom to write to; raises the rate limit',
      argument(parseMailto),
    )
    .option('--anonymous', 'send no credentials (reads of DOIs only)')
    .addOption(
      option('--timeout <duration>', 'longest wait for one response', positiveDuration).default(
        120_000,
        '120s',
      ),
    )
    .addOption(option('--retries <n>', 'attempts after the first', parseInteger(0, 100)).default(8))
    .option('--no-input', 'never ask anything')
    .option('--no-color', 'no colours (env: NO_COLOR)')
    .option('--quiet', 'only errors on stderr')
    .option('--verbose', 'trace each request on stderr, secrets masked')
    .addHelpText(
      'after',
      examples(
        'doi-cli keys create --name ci',
        'doi-cli dois list --all --provider-id caltech > dois.ndjson',
        'doi-cli emulator exec --records 1000 -- doi-cli dois list --count',
      ),
    );
  addAuth(program, run, wanted);
  addKeys(program, run, wanted);
  addDois(program, run, wanted);
  addMds(program, run, wanted);
  addDatafile(program, run, wanted);
  addEmulator(program, run, wanted);
  addConfig(program, run, wanted);
  addCompletion(program, run);
  return program;
}

function positiveDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms < 1) throw new Error('the duration must be longer than nothing');
  return ms;
}

/** Commander's message without the value that was typed: it may be a secret in the wrong place. */
function withoutValues({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, '');
  if (code === 'commander.invalidArgument') {
    return text.replace(
      /^(option|command-argument) ('?.*?'?|value) ?(?:argument |value )?'.*' is invalid(?: for argument '(.*?)')?\. /s,
      '$2$3: ',
    );
  }
  return code === 'commander.unknownOption' ? text.replace(/=.*?'/s, "'") : text;
}

/** The names of the commands that the command line got to, for a hint: `keys create `. */
function commandPath(program: Command, argv: readonly string[]): string {
  let command = program;
  let path = '';
  for (const word of argv) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) continue;
    command = next;
    path += `${word} `;
  }
  return path;
}

/** Whether errors are wanted as JSON, even those of a command line that cannot be parsed. */
function wantsJsonErrors(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  return own.some(
    (word, index) =>
      /^(--format=)?(json|nd-?json)$/.test(word) && (word.includes('=') || own[index - 1] === '--format'),
  );
}
