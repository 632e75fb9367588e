import type { Reply } from '../service.ts';
import { type Expectation, get, memberAt, publish } from './expectations.ts';

const total = ({ text }: Reply) => Number(memberAt(text, 'meta.total'));

/** One record that the queries find. */
const RECORD = publish({
  titles: [{ title: 'Aardvark counting in 中国 Kalahari' }],
  publisher: { name: 'Zebra Press', publisherIdentifier: 'https://ror.org/04wxnsj81' },
  publicationYear: 1987,
  subjects: [{ subject: 'Burrow Systems' }],
  language: 'fy',
  version: 'v7.7',
  relatedIdentifiers: [
    { relatedIdentifier: '10.9999/quagga', relatedIdentifierType: 'DOI', relationType: 'Cites' },
  ],
});

/** A query that finds the record, or does not. */
const query = (
  text: string,
  finds: boolean,
  source = 'lupo app/models/doi.rb query',
): Expectation => ({
  name: `${text} ${finds ? 'finds' : 'does not find'} it`,
  source,
  before: [RECORD],
  request: get(
    `/dois?page[size]=1000&disable-facets=true&fields[dois]=doi&query=${text.replaceAll('&', '%26').replaceAll('+', '%2B')}`,
  ),
  holds: (reply) => (finds && total(reply) < 1001) === reply.text.includes('"10.5072/x"'),
});

export const QUERIES: readonly Expectation[] = [
  query('aardvark', true, 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb:557'),
  query('AARDVARK', true),
  query('aardvark counting', true),
  query('aardvark zebra', true),
  query('aardvark nowhere', false),
  query('aardvark AND counting', true),
  query('aardvark OR nowhere', true),
  query('aardvark NOT counting', false),
  query('aardvark -nowhere', true),
  query('+aardvark +kalahari', true),
  query('"counting in"', true),
  query('"in counting"', false),
  query('中', true),
  query('aard*', true),
  query('aardvar?', true),
  query('(aardvark OR nowhere) AND kalahari', true),
  query('titles.title:aardvark', true),
  query('titles.title:(aardvark kalahari)', true),
  query('titles.title:"aardvark counting"', true),
  query('descriptions.description:aardvark', false),
  query('publisher:zebra', true, 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb:576'),
  query('publisher.name:zebra', true, 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb:595'),
  query('publisher.publisherIdentifier:"https://ror.org/04wxnsj81"', true),
  query('subjects.subject:burrow', true),
  query('creators.familyName:fenner AND aardvark', true),
  query('language:fy', true),
  query('version:"v7.7"', true),
  query('publicationYear:[1980 TO 1990]', true),
  query('publication_year:[1990 TO *]', false),
  query('publicationYear:1987', true),
  query('citationCount:0 AND aardvark', true),
  query('citationCount:>0 AND aardvark', false),
  query('types.resourceTypeGeneral:Text AND aardvark', true),
  query('types.resourceType:BlogPosting', true),
  query('relatedIdentifiers.relatedIdentifier:10.9999\\/quagga', true),
  query('relatedIdentifiers.relatedIdentifier:10.9999*', true),
  query('_exists_:language AND aardvark', true),
  query('_exists_:reason AND aardvark', false),
  query('doi:10.5072/X', true, 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb:2246'),
  query('id:10.5072/X', true, 'lupo spec/requests/datacite_dois/datacite_dois_spec.rb:2271'),
  query('doi:10.5072*', true),
  query('prefix:10.5072 AND aardvark', true),
  query('client_id:demo.repo AND aardvark', true),
  query('created:[2026-07-02 TO *] AND aardvark', true),
  query('created:[* TO 2020-01-01} OR aardvark', true),
  query('aardvark^2', true),
  query('nosuchfield:aardvark', false),
  ...[
    'created:[',
    '(aardvark',
    'aardvark)',
    '"',
    'aardvark AND',
    'created:[yesterday TO *]',
    '('.repeat(5000),
  ].map(
    (text): Expectation => ({
      name: `${text.slice(0, 40)} is rejected with an object, not a list, of errors`,
      source: 'lupo app/controllers/datacite_dois_controller.rb rescue BadRequest',
      request: get(`/dois?query=${text}`),
      status: 400,
      members: { 'errors.title': /./ },
    }),
  ),
];
