import type { CommandSpec, Declaration } from '../../cli/declare.ts';
import { expert, formatOption, listOption, option, USUAL_ROWS } from '../../cli/options.ts';
import { parseInteger, parseText } from '../../text/parsers.ts';

const INCLUDE =
  'only files with this name (*.csv.gz), path (dois/updated_2024-*) or folder (dois/…/);' +
  ' repeatable';
const include = listOption('--include <glob>', INCLUDE, parseText);

const credentials: CommandSpec = {
  name: 'credentials',
  description: 'print temporary credentials for other tools, valid for one hour',
  options: [
    formatOption(
      ['json', 'env', 'aws'],
      'the response, export lines, or JSON for the AWS CLI',
    ).default('json'),
  ],
  examples: ['eval "$(doi-cli datafile credentials --format env)"'],
  load: async () => (await import('./datafile.ts')).credentialsCommand,
};

const list: CommandSpec = {
  name: 'list',
  description: 'list the files',
  options: [include, formatOption(['table', 'ndjson', 'json'], 'output format', USUAL_ROWS)],
  examples: ['doi-cli datafile list', "doi-cli datafile list --include '*.csv.gz' --format ndjson"],
  load: async () => (await import('./datafile.ts')).listCommand,
};

const download: CommandSpec = {
  name: 'download',
  description: 'download the files, except those already downloaded',
  options: [
    include,
    option('--dir <directory>', 'directory for the files', parseText).default(
      '.',
      'the current directory',
    ),
    ...expert(option('--jobs <n>', 'concurrent downloads', parseInteger(1, 32)).default(4)),
    option('--check', 'read downloaded files again, and fetch damaged ones'),
  ],
  examples: [
    'doi-cli datafile download --dir datafile',
    "doi-cli datafile download --dir datafile --include 'dois/updated_2024-*/'",
    'doi-cli datafile download --dir datafile --check',
  ],
  load: async () => (await import('./download.ts')).downloadCommand,
};

export const datafile: Declaration = {
  examples: [
    'doi-cli datafile list',
    "doi-cli datafile download --dir datafile --include 'dois/updated_2024-*/'",
  ],
  commands: [credentials, list, download],
};
