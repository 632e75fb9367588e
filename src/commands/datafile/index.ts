import type { Command } from 'commander';
import { examples, formatOption, listOption, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseBaseUrl, parseInteger, parseText } from '../../text/parsers.ts';
import type { CredentialsFlags } from './credentials.ts';
import type { DownloadFlags } from './download.ts';
import type { ListFlags } from './list.ts';

/** `doi-cli datafile …`: the monthly data file with the metadata of all public DOIs. */
export function addDatafile(program: Command, run: Runner, wanted: Wanted): void {
  const datafile = program
    .command('datafile')
    .description('the monthly data file: the metadata of all Findable DOIs, for members of the service')
    .addHelpText(
      'after',
      examples(
        'doi-cli datafile list',
        "doi-cli datafile download --dir datafile --include 'dois/updated_2024-*/'",
      ),
    );
  if (!wanted(datafile)) return;

  datafile
    .command('credentials')
    .description('print temporary credentials for other tools; they are good for an hour')
    .addOption(
      formatOption(
        ['json', 'env', 'aws'],
        'json: the answer of the service; env: export lines for a shell; aws: for credential_process of the AWS CLI',
      ).default('json'),
    )
    .addHelpText('after', examples('doi-cli datafile credentials --format env > credentials.sh'))
    .action(
      run(async (context, options: CredentialsFlags) => {
        const { credentialsCommand } = await import('./credentials.ts');
        await credentialsCommand(context, options);
      }),
    );

  withPlace(datafile.command('list'))
    .description('list the files')
    .addOption(formatOption(['table', 'ndjson', 'json'], 'default: table on a terminal, else ndjson'))
    .addHelpText(
      'after',
      examples('doi-cli datafile list', "doi-cli datafile list --include '*.csv.gz' --format ndjson"),
    )
    .action(
      run(async (context, options: ListFlags) => {
        const { listCommand } = await import('./list.ts');
        await listCommand(context, options);
      }),
    );

  withPlace(datafile.command('download'))
    .description('download the files; what is there already is not fetched again')
    .addOption(option('--dir <directory>', 'where to put them', parseText).default('.', 'this directory'))
    .addOption(option('--jobs <n>', 'files fetched at once', parseInteger(1, 32)).default(4))
    .addHelpText(
      'after',
      examples(
        'doi-cli datafile download --dir datafile',
        "doi-cli datafile download --dir datafile --include 'dois/updated_2024-*/' --jobs 8",
      ),
    )
    .action(
      run(async (context, options: DownloadFlags) => {
        const { downloadCommand } = await import('./download.ts');
        await downloadCommand(context, options);
      }),
    );
}

function withPlace(command: Command): Command {
  return command
    .addOption(
      listOption(
        '--include <glob>',
        'only such files: a name (*.csv.gz), a path (dois/updated_2024-*/*) or a folder (dois/updated_2024-01/); repeatable',
        parseText,
      ),
    )
    .addOption(
      option('--endpoint <url>', 'another object store (env: DOI_CLI_DATAFILE_ENDPOINT)', parseBaseUrl),
    );
}
