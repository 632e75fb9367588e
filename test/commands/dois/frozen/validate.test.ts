import { draft, whole, xml } from './records.ts';
import { frozen } from './scene.ts';

const WRONG = whole('a', 'A', {
  types: { resourceTypeGeneral: 'Datset' },
  language: 'German',
  url: 'nonsense',
});
const indented = (value: object) => JSON.stringify(value, undefined, 2);
const FORMATS = ['text', 'json', 'ndjson'];
const validate = (file: string, more = '') =>
  `dois validate --file $DIR/${file}${more && ` ${more}`}`;
const inFormats = (file: string) => FORMATS.map((format) => validate(file, `--format ${format}`));

frozen('dois validate', {
  'finds nothing in a valid record': {
    files: { 'r.json': indented(whole('a', 'A')) },
    steps: inFormats('r.json'),
  },
  'finds errors and warnings': { files: { 'r.json': indented(WRONG) }, steps: inFormats('r.json') },
  'checks for the state that is asked for': {
    files: {
      'r.json': indented(draft('a', 'A')),
      'event.json': indented(draft('a', 'A', { event: 'register' })),
    },
    steps: [
      validate('r.json'),
      validate('r.json', '--event publish'),
      validate('r.json', '--state registered'),
      validate('r.json', '--state findable --event publish'),
      validate('event.json'),
      validate('event.json', '--state draft'),
    ],
  },
  'counts warnings with --strict': {
    files: { 'r.json': indented(draft('a', 'A', { language: 'German' })) },
    steps: [validate('r.json'), validate('r.json', '--strict')],
  },
  'checks the lines of NDJSON': {
    files: {
      'r.ndjson': [WRONG, draft('b', 'B'), draft('A', 'C', { nonsuch: 1 }), { titles: [] }],
    },
    steps: [...inFormats('r.ndjson'), validate('r.ndjson', '--event publish')],
  },
  'checks the lines after one that holds no record': {
    files: {
      'r.ndjson':
        '{"doi":"10.5072/a"}\n{"doi":\n[]\n{"data":{"type":"other"}}\n{"doi":"10.5072/b"}\n',
      'none.ndjson': '\n',
    },
    steps: [...inFormats('r.ndjson'), validate('none.ndjson')],
  },
  'checks a JSON array': {
    files: { 'r.json': JSON.stringify([WRONG, draft('b', 'B')], undefined, 1) },
    steps: [validate('r.json')],
  },
  'names the columns of spreadsheets': {
    files: {
      'r.csv':
        'doi,types.resourceTypeGeneral,url\n10.5072/a,Datset,\n10.5072/b,Dataset,nonsense\n10.5072/A,,\n',
      'heads.tsv': 'DOI\tKind\n10.5072/a\tDatset\n',
    },
    steps: [
      ...inFormats('r.csv'),
      validate('heads.tsv'),
      validate('heads.tsv', '--map Kind=types.resourceTypeGeneral --format ndjson'),
    ],
  },
  'names the elements of XML': {
    files: {
      'x/1.xml': xml('a', 'A'),
      'x/2.xml': xml('a', 'B').replace(/<publisher>.*/, ''),
      'x/3.xml': xml('c', 'C').slice(0, 300),
      'x/4.xml': '<html/>',
    },
    steps: [
      ...inFormats('x'),
      validate('x/2.xml', '--event publish'),
      validate('x/1.xml', '--file $DIR/x/2.xml'),
    ],
  },
  'reads stdin': {
    steps: [
      { run: 'dois validate --file -', stdin: [WRONG, draft('b', 'B')] },
      { run: 'dois validate --file - --format ndjson', stdin: indented(WRONG) },
    ],
  },
  'knows what the account may write': {
    files: { 'r.json': indented({ ...whole('a', 'A'), doi: '10.9999/a' }) },
    steps: [
      validate('r.json'),
      { run: validate('r.json'), as: 'nobody' },
      { run: validate('r.json'), as: 'member' },
      { faults: ['500@1+'] },
      validate('r.json'),
    ],
  },
});
