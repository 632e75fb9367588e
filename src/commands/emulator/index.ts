import type { Command } from 'commander';
import { examples, formatOption, listOption, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseDuration, parseInteger, parseRate, parseText } from '../../text/parsers.ts';
import type { EmulatorFlags, StartFlags } from './start.ts';

/** `doi-cli emulator …`: the service on this machine. */
export function addEmulator(program: Command, run: Runner, wanted: Wanted): void {
  const emulator = program
    .command('emulator')
    .description('the service on this machine: for trying this tool, for tests, for CI')
    .addHelpText(
      'after',
      examples('doi-cli emulator start', 'doi-cli emulator exec -- doi-cli dois list --count'),
    );
  if (!wanted(emulator)) return;

  addOptions(emulator.command('start'))
    .description('start it, print its base URL and credentials, and run until stopped')
    .addOption(formatOption(['text', 'json'], 'lines for a shell, or one line of JSON').default('text'))
    .addHelpText(
      'after',
      examples('doi-cli emulator start --records 100000', 'doi-cli emulator start --fault 502:0.05'),
    )
    .action(
      run(async (context, options: StartFlags) => {
        const { startCommand } = await import('./start.ts');
        await startCommand(context, options);
      }),
    );

  addOptions(emulator.command('exec'))
    .description(
      'run a command with DOI_CLI_BASE_URL, DOI_CLI_REPOSITORY, DOI_CLI_PASSWORD and the like set to it',
    )
    .argument('<command>', 'the command to run, after --')
    .argument('[args...]', 'its arguments')
    .addHelpText(
      'after',
      examples(
        'doi-cli emulator exec -- doi-cli keys list',
        "doi-cli emulator exec --records 5000 -- sh -c 'doi-cli dois list --all | wc -l'",
      ),
    )
    .action(
      run(async (context, command: string, args: readonly string[], options: EmulatorFlags) => {
        const { execCommand } = await import('./exec.ts');
        return execCommand(context, [command, ...args], options);
      }),
    );
}

function addOptions(command: Command): Command {
  return command
    .addOption(
      option('--port <n>', 'a port on 127.0.0.1; 0 for a free one', parseInteger(0, 65_535)).default(0),
    )
    .addOption(
      option('--records <n>', 'how many DOI records there are', parseInteger(0, 500_000_000)).default(1000),
    )
    .addOption(
      option('--seed <n>', 'another seed makes other records', parseInteger(0, 2 ** 32 - 1)).default(1),
    )
    .addOption(
      listOption(
        '--account <id:password>',
        'a repository account; repeatable (default: DEMO.REPO)',
        parseAccount,
      ),
    )
    .addOption(option('--latency <duration>', 'a wait before each answer', parseDuration))
    .addOption(option('--rate-limit <n/duration>', 'answer 429 beyond it, such as 3000/5m', parseRate))
    .addOption(
      listOption(
        '--fault <spec>',
        'go wrong, such as 502:0.05 or reset@3; repeatable; an unknown one lists all',
        parseText,
      ),
    );
}

function parseAccount(text: string): { id: string; password: string } {
  const at = text.indexOf(':');
  const [id, password] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || password === '') throw new Error('an account is of the form id:password');
  return { id, password };
}
