import { command, type Declaration } from '../../cli/declare.ts';
import { argument, expert, formatOption, listOption, offering, option } from '../../cli/options.ts';
import { parseMoment } from '../../text/moment.ts';
import { parseDurationUpTo, parseInteger, parseRate, parseText } from '../../text/parsers.ts';

/**
 * The kinds of faults, for completion. They are repeated here because the emulator is loaded late.
 */
export const FAULTS =
  `500 502 504 403 429 reset truncate truncate-gzip slow stall lost-answer late-index anonymous
  repeat-cursor restart-cursor foreign-next empty-page duplicate lose wrong-page
  poison-cursor`.split(/\s+/);

const FAULT =
  'inject a fault, such as 502:0.05 or reset@3; repeatable; a wrong name lists all faults';
const serviceOptions = [
  option('--records <n>', 'number of DOI records', parseInteger(0, 500_000_000)).default(1000),
  offering(FAULTS, listOption('--fault <spec>', FAULT, parseText)),
  ...expert(
    option(
      '--port <n>',
      'port on 127.0.0.1; 0 selects a free port',
      parseInteger(0, 65_535),
    ).default(0),
    listOption(
      '--account <id:password>',
      'an account; repeatable (default: DEMO.REPO)',
      parseAccount,
    ),
    option('--seed <n>', 'seed of the generated records', parseInteger(0, 2 ** 32 - 1)).default(1),
    option('--latency <duration>', 'delay before each response, up to 1h', parseDurationUpTo('1h')),
    option('--rate-limit <n/duration>', 'answer 429 above this rate, such as 3000/5m', parseRate),
    option(
      '--objects-from <date>',
      'affiliation and publisher are objects by default from this date; never without it',
      parseDay,
    ),
  ),
];

export const start = command({
  name: 'start',
  description: 'start an emulator, print its base URL and credentials, and run until stopped',
  options: [
    ...serviceOptions,
    formatOption(['text', 'json'], 'export lines for a shell, or one line of JSON').default('text'),
  ],
  examples: ['doi-cli emulator start --records 100000', 'doi-cli emulator start --fault 502:0.05'],
  load: async () => (await import('./emulator.ts')).startCommand,
});

export const exec = command({
  name: 'exec',
  description: 'run a command against an emulator, with DOI_CLI_BASE_URL and credentials set',
  arguments: [
    argument('<command>', 'the command to run, after --'),
    argument('[args...]', 'its arguments'),
  ],
  options: serviceOptions,
  examples: [
    'doi-cli emulator exec -- doi-cli keys list',
    "doi-cli emulator exec --records 5000 -- sh -c 'doi-cli dois list --all | wc -l'",
  ],
  load: async () => (await import('./emulator.ts')).execCommand,
});

export const emulator: Declaration = {
  examples: [
    'doi-cli emulator start --records 100000',
    'doi-cli emulator start --fault 502:0.05',
    'doi-cli emulator exec -- doi-cli keys list',
    "doi-cli emulator exec -- sh -c 'doi-cli dois list --all | wc -l'",
  ],
  isOnePage: true,
  commands: [start, exec],
};

/** A day, or the time of another moment, in milliseconds since 1970. */
function parseDay(text: string): number {
  const moment = parseMoment(text);
  return 'from' in moment ? moment.from : Date.now() - moment.ago;
}

function parseAccount(text: string): { id: string; password: string } {
  const at = text.indexOf(':');
  const [id, password] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || password === '') throw new Error('an account has the form id:password');
  return { id, password };
}
