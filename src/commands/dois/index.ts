import type { OtherFormat } from '../../api/doi-formats.ts';
import { command, type Declaration, type DeferredSpec } from '../../cli/declare.ts';
import { argument, expert, formatOption, offering, option, outOption } from '../../cli/options.ts';
import { parseDoi } from '../../text/doi.ts';
import { parseText } from '../../text/parsers.ts';

const OTHER_FORMATS: readonly OtherFormat[] = [
  ...(['bibtex', 'ris', 'citation', 'datacite-xml', 'datacite-json', 'citeproc'] as const),
  ...(['schema-org', 'codemeta', 'crosscite', 'jats', 'csv'] as const),
];
/** Common styles for completion, of thousands. */
const STYLES = [
  ...['apa', 'chicago-author-date', 'harvard-cite-them-right', 'ieee'],
  ...['modern-language-association', 'vancouver'],
];

export const get = command({
  name: 'get',
  description: 'print DOI records, several as one file',
  arguments: [argument('[doi...]', 'one or more DOIs, with or without https://doi.org/', parseDoi)],
  options: [
    option('--file <path>', 'DOIs, records or results, one per line; - for stdin', parseText),
    formatOption(
      ['text', 'json', 'ndjson', 'url', ...OTHER_FORMATS],
      'readable text, JSON, the URL alone, or a format of the service',
      'text on a terminal, else json, or ndjson for several',
    ),
    outOption('write a complete file; its ending sets format and compression'),
    option('--web', 'open the landing page in the browser').conflicts(['format', 'out']),
    offering(
      STYLES,
      option('--style <name>', 'name of a CSL citation style, such as ieee', parseText),
    ),
    ...expert(option('--locale <locale>', 'citation language, such as en-GB', parseText)),
  ],
  examples: [
    'doi-cli dois get 10.5438/0012',
    'doi-cli dois get https://doi.org/10.5438/0012',
    'doi-cli dois get 10.5438/0012 --format citation --style apa',
    'doi-cli dois get 10.5072/found --format url',
    'doi-cli dois get 10.5072/found --web',
    'doi-cli dois get --file dois.txt --out references.bib',
  ],
  load: async () => (await import('./get.ts')).getDoiCommand,
});

type WriteVerb = keyof typeof import('./write/index.ts')['writeCommands'];
const write = (name: WriteVerb, description: string): DeferredSpec => ({
  name,
  description,
  declaration: async () => (await import('./write/index.ts')).writeCommands[name],
});

export const dois: Declaration = {
  examples: ['doi-cli dois list --prefix 10.5438', 'doi-cli dois get 10.5438/0012'],
  commands: [
    {
      name: 'list',
      description: 'list DOI records: one page, or all',
      declaration: async () => (await import('./list/index.ts')).list,
    },
    {
      name: 'harvest',
      description: 'keep a copy of a query on disk; run it again to continue or to update the copy',
      declaration: async () => (await import('./harvest/index.ts')).harvest,
    },
    {
      name: 'stats',
      description: 'count what a query or a copy holds, by year, state, type, repository and more',
      declaration: async () => (await import('./stats/index.ts')).stats,
    },
    get,
    {
      name: 'check-links',
      description: 'check whether the URL of each DOI answers',
      declaration: async () => (await import('./links/index.ts')).checkLinks,
    },
    write(
      'validate',
      'check records against the DataCite Metadata Schema 4.7, without sending them',
    ),
    write('create', 'create a DOI from a file or from options, or all DOIs of a file'),
    write('update', 'update DOIs: the given attributes replace those of the record'),
    write('publish', 'make DOIs Findable: registered permanently, and in the search index'),
    write(
      'register',
      'make Drafts Registered: registered permanently, but not in the search index',
    ),
    write('hide', 'make Findable DOIs Registered: out of the search index, but they still resolve'),
    write('transfer', 'give DOIs to another repository, as the member (provider) of both'),
    write('delete', 'delete Drafts; registered DOIs cannot be deleted'),
  ],
};
