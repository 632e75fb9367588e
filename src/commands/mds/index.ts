import type { CommandSpec, Declaration } from '../../cli/declare.ts';
import { argument, expert, option, required } from '../../cli/options.ts';
import { parseDoi } from '../../text/doi.ts';
import { parseBaseUrl, parsePrefixes, parseText } from '../../text/parsers.ts';
import type { MdsOptions } from './mds.ts';

const doi = argument('<doi>', 'the DOI', parseDoi);
const mdsUrl = expert(
  option('--mds-url <url>', 'URL of the MDS API (env: DOI_CLI_MDS_URL)', parseBaseUrl),
);

const get = (name: 'doi' | 'metadata' | 'media', description: string, to = ''): CommandSpec => ({
  name: 'get',
  description,
  arguments: [doi],
  options: [...mdsUrl],
  examples: [`doi-cli mds ${name} get 10.5072/example${to}`],
  load: async () => {
    const { readCommand } = await import('./mds.ts');
    return (context, doi: string, options: MdsOptions) => readCommand(context, name, doi, options);
  },
});

const resource = (
  name: string,
  description: string,
  commands: readonly CommandSpec[],
): CommandSpec => {
  const examples = commands.flatMap((each) => each.examples);
  return { name, description, examples, isOnePage: true, commands };
};

const listDois: CommandSpec = {
  name: 'list',
  description:
    "list the registered DOIs below the account's first prefix; needs the account's password",
  options: [...mdsUrl],
  examples: ['doi-cli mds doi list'],
  load: async () => (await import('./mds.ts')).listCommand,
};

const putUrl: CommandSpec = {
  name: 'put',
  description: 'set the URL; a Draft or Registered DOI becomes Findable',
  arguments: [doi],
  options: [...mdsUrl, required('--url <url>', 'the URL that the DOI resolves to', parseText)],
  examples: ['doi-cli mds doi put 10.5072/example --url https://example.org/1'],
  load: async () => (await import('./mds.ts')).putUrlCommand,
};

const postMetadata: CommandSpec = {
  name: 'post',
  description: 'register metadata; a new DOI becomes a Draft, and a Registered one Findable',
  arguments: [
    argument('[doi]', 'the DOI, or a prefix (default: the DOI in the XML)', parseDoiOrPrefix),
  ],
  options: [...mdsUrl, required('--file <path>', 'the XML: a file, or - for stdin', parseText)],
  examples: [
    'doi-cli mds metadata post 10.5072/example --file metadata.xml',
    'doi-cli mds metadata post 10.5072 --file - < metadata.xml',
  ],
  load: async () => (await import('./mds.ts')).postMetadataCommand,
};

const deleteMetadata: CommandSpec = {
  name: 'delete',
  description: 'hide a Findable DOI: it becomes Registered and leaves the search index',
  arguments: [doi],
  options: [...mdsUrl, option('--yes', 'skip the confirmation; required without a terminal')],
  examples: ['doi-cli mds metadata delete 10.5072/example --yes'],
  load: async () => (await import('./mds.ts')).deleteMetadataCommand,
};

const postMedia: CommandSpec = {
  name: 'post',
  description: 'add a media type and its URL',
  arguments: [doi],
  options: [
    ...mdsUrl,
    required('--type <type>', 'the media type, such as application/pdf', parseText),
    required('--url <url>', 'the URL of the file, without an equals sign', parseText),
  ],
  examples: [
    'doi-cli mds media post 10.5072/example --type application/pdf \\\n' +
      '      --url https://example.org/1.pdf',
  ],
  load: async () => (await import('./mds.ts')).postMediaCommand,
};

export const mds: Declaration = {
  examples: ['doi-cli mds doi get 10.5072/example', 'doi-cli mds metadata get 10.5072/example'],
  commands: [
    resource('doi', 'the URL that a DOI resolves to', [
      get('doi', 'print the URL'),
      listDois,
      putUrl,
    ]),
    resource('metadata', 'the metadata of a DOI as DataCite XML', [
      get('metadata', 'print the XML', ' > metadata.xml'),
      postMetadata,
      deleteMetadata,
    ]),
    resource('media', 'media types of a DOI, with a URL for each', [
      get('media', 'print media types and URLs as type=url'),
      postMedia,
    ]),
  ],
};

function parseDoiOrPrefix(text: string): string {
  return text.includes('/') ? parseDoi(text) : parsePrefixes(text);
}
