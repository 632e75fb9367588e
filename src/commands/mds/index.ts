import type { Command } from 'commander';
import { argument, examples, option, type Runner, type Wanted } from '../../cli/options.ts';
import { parseBaseUrl, parseDoi, parsePrefixes, parseText } from '../../text/parsers.ts';
import type { MdsOptions } from './service.ts';
import type { MediaOptions, MetadataOptions, UrlOptions } from './write.ts';

const FILE = 'a file, or - for stdin';

/** `doi-cli mds …`: the older MDS API, which speaks plain text and XML. */
export function addMds(program: Command, run: Runner, wanted: Wanted): void {
  const mds = program
    .command('mds')
    .description('the MDS API: addresses, XML metadata and media of DOIs, as plain text and XML')
    .addHelpText(
      'after',
      examples('doi-cli mds doi get 10.5072/example', 'doi-cli mds metadata get 10.5072/example'),
    );
  if (!wanted(mds)) return;

  const doi = mds.command('doi').description('the address that a DOI leads to');
  reads(doi, run, 'print the address', 'doi-cli mds doi get 10.5072/example');
  withUrl(doi.command('put'))
    .description('set the address; a Draft or Registered DOI becomes Findable')
    .argument('<doi>', 'the DOI', argument(parseDoi))
    .addOption(option('--url <url>', 'where the DOI shall lead', parseText))
    .addOption(option('--file <path>', `doi=… and url=…, a line each: ${FILE}`, parseText))
    .addHelpText(
      'after',
      examples(
        'doi-cli mds doi put 10.5072/example --url https://example.org/1',
        "printf 'doi=10.5072/example\\nurl=https://example.org/1\\n' | doi-cli mds doi put 10.5072/example --file -",
      ),
    )
    .action(
      run(async (context, name: string, options: UrlOptions) => {
        const { putUrlCommand } = await import('./write.ts');
        await putUrlCommand(context, name, options);
      }),
    );

  const metadata = mds.command('metadata').description('the metadata of a DOI as DataCite XML');
  reads(metadata, run, 'print the XML', 'doi-cli mds metadata get 10.5072/example > metadata.xml');
  withUrl(metadata.command('post'))
    .description('register metadata; a DOI that is new becomes a Draft')
    .argument(
      '[doi]',
      'the DOI, or a prefix for a random one (default: that in the XML)',
      argument(parseDoiOrPrefix),
    )
    .addOption(option('--file <path>', `the XML: ${FILE}`, parseText).makeOptionMandatory())
    .addHelpText(
      'after',
      examples(
        'doi-cli mds metadata post 10.5072/example --file metadata.xml',
        'doi-cli mds metadata post 10.5072 --file - < metadata.xml',
      ),
    )
    .action(
      run(async (context, name: string | undefined, options: MetadataOptions) => {
        const { postMetadataCommand } = await import('./write.ts');
        await postMetadataCommand(context, name, options);
      }),
    );
  withUrl(metadata.command('delete'))
    .description('hide a Findable DOI: it becomes Registered and leaves the search index')
    .argument('<doi>', 'the DOI', argument(parseDoi))
    .option('--yes', 'do not ask; required where nobody can be asked')
    .addHelpText('after', examples('doi-cli mds metadata delete 10.5072/example --yes'))
    .action(
      run(async (context, name: string, options: MdsOptions & { readonly yes?: boolean }) => {
        const { deleteMetadataCommand } = await import('./write.ts');
        await deleteMetadataCommand(context, name, options);
      }),
    );

  const media = mds.command('media').description('files in other media types behind a DOI');
  reads(media, run, 'print media types and addresses, type=url', 'doi-cli mds media get 10.5072/example');
  withUrl(media.command('post'))
    .description('add a media type and its address')
    .argument('<doi>', 'the DOI', argument(parseDoi))
    .addOption(option('--type <type>', 'the media type, such as application/pdf', parseText))
    .addOption(option('--url <url>', 'where the file is', parseText))
    .addOption(option('--file <path>', `type=url on one line: ${FILE}`, parseText))
    .addHelpText(
      'after',
      examples(
        'doi-cli mds media post 10.5072/example --type application/pdf --url https://example.org/1.pdf',
      ),
    )
    .action(
      run(async (context, name: string, options: MediaOptions) => {
        const { postMediaCommand } = await import('./write.ts');
        await postMediaCommand(context, name, options);
      }),
    );
}

function reads(noun: Command, run: Runner, description: string, example: string): void {
  const resource = noun.name() as 'doi' | 'metadata' | 'media';
  noun.addHelpText('after', examples(example));
  withUrl(noun.command('get'))
    .description(description)
    .argument('<doi>', 'the DOI', argument(parseDoi))
    .addHelpText('after', examples(example))
    .action(
      run(async (context, name: string, options: MdsOptions) => {
        const { readCommand } = await import('./read.ts');
        await readCommand(context, resource, name, options);
      }),
    );
}

/** A DOI, or a prefix such as `10.5072`. */
function parseDoiOrPrefix(text: string): string {
  return text.includes('/') ? parseDoi(text) : parsePrefixes(text);
}

function withUrl(command: Command): Command {
  return command.addOption(option('--mds-url <url>', 'the MDS API (env: DOI_CLI_MDS_URL)', parseBaseUrl));
}
