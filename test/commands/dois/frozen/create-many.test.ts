import { draft, whole, xml } from './records.ts';
import { frozen } from './scene.ts';

const THREE = [draft('a', 'A'), draft('b', 'B'), draft('c', 'C')];
/** The second has an error, and a foreign prefix is only found with the account. */
const MIXED = [
  draft('a', 'A'),
  draft('b', 'B', { url: 'nonsense' }),
  { prefix: '10.9999', titles: [{ title: 'C' }] },
  { prefix: '10.5072', titles: [{ title: 'D' }] },
  { data: { type: 'dois', attributes: whole('E', 'E', { event: 'publish' }) } },
];
const ODD = [
  draft('a', 'A', { creators: [{ name: 'Doe, Jane', affiliation: ['Demo Lab'] }] }),
  draft('b', 'B', { nonsuch: 1, sizes: '1 kB' }),
];
const CSV = [
  'doi,url,titles[0].title,creators[0].name,publisher.name,publicationYear,types.resourceTypeGeneral',
  '10.5072/a,https://example.org/a,A,"Doe, Jane",Demo,2026,Dataset',
  '10.5072/b,nonsense,B,"Doe, Jane",Demo,2026,Datset',
  ',,C,,,,',
  '',
].join('\n');
const create = (file: string, more = '') =>
  `dois create --file $DIR/${file} --jobs 1${more && ` ${more}`}`;

frozen('dois create with a file of', {
  NDJSON: { files: { 'r.ndjson': MIXED }, steps: [create('r.ndjson')] },
  'a JSON array': {
    files: { 'r.json': JSON.stringify(THREE, undefined, 1) },
    steps: [create('r.json')],
  },
  CSV: { files: { 'r.csv': CSV }, steps: [create('r.csv', '--prefix 10.5072 --event register')] },
  TSV: {
    files: { 'r.tsv': 'doi\ttitles[0].title\tversion\n10.5072/a\tA\t1\n10.5072/b\tB\t2\n' },
    steps: [create('r.tsv')],
    matters: ['version'],
  },
  'CSV with other heads': {
    files: { 'r.csv': 'DOI;Title;Remark\n10.5072/a;A;x\n10.5072/b;B;y\n' },
    steps: [create('r.csv'), create('r.csv', '--map Title=titles[0].title --map Remark=')],
  },
  'CSV with a value that is not in its list': {
    files: { 'r.csv': 'doi,titles[0].title,titles[0].titleType\n10.5072/a,A,Subtitel\n' },
    steps: [create('r.csv'), 'dois create --file $DIR/r.csv --dry-run'],
  },
  'XML, which is a folder': {
    files: {
      'x/2.xml': xml('b', 'B'),
      'x/10.xml': xml('c', 'C').replace(/<publisher>.*/, ''),
      'x/1.xml': xml('a', 'A'),
      'x/readme.txt': 'none',
    },
    steps: [
      create('x', '--event publish'),
      create('x', '--event publish --url https://example.org/{doi}'),
    ],
  },
  'XML, which is named more than once': {
    files: { 'a.xml': xml('a', 'A'), 'b.xml': xml('b', 'B') },
    steps: ['dois create --file $DIR/a.xml --file $DIR/b.xml --jobs 1'],
  },
  'one record, where options are for many': {
    files: { 'r.json': JSON.stringify(draft('a', 'A')) },
    steps: [create('r.json')],
  },
  'records without a DOI or prefix': {
    files: { 'r.ndjson': [{ titles: [{ title: 'A' }] }, { titles: [{ title: 'B' }] }] },
    steps: [create('r.ndjson'), create('r.ndjson', '--prefix 10.5072')],
  },
});

frozen('dois create from stdin', {
  'leaves nothing behind': { steps: [{ run: 'dois create --file - --jobs 1', stdin: THREE }] },
  'keeps records that failed, and continues with the kept file': {
    steps: [
      { run: 'dois create --file - --jobs 1', stdin: MIXED },
      'dois create --file $KEPT --jobs 1',
    ],
  },
});

frozen('dois create prints', {
  'what would be sent with --dry-run': {
    files: { 'r.ndjson': MIXED },
    steps: [
      'dois create --file $DIR/r.ndjson --dry-run',
      'dois create --file $DIR/r.ndjson --dry-run --format text',
      { run: 'dois create --file $DIR/r.ndjson --dry-run', as: 'nobody' },
    ],
  },
  'tables on a terminal': {
    files: {
      'r.ndjson': [...MIXED, ...ODD.map((record) => ({ ...record, doi: `${record.doi}2` }))],
    },
    steps: [{ run: create('r.ndjson'), terminal: { stdout: true } }],
  },
  'results as lines of JSON with json, and its errors as one object': {
    files: { 'r.ndjson': MIXED },
    steps: [create('r.ndjson', '--format json'), create('r.ndjson', '--format ndjson --quiet')],
  },
  'no CSV to stdout': { files: { 'r.ndjson': THREE }, steps: [create('r.ndjson', '--format csv')] },
  'results into files': {
    files: { 'r.ndjson': [...MIXED, draft('f', 'F', { nonsuch: 1 })] },
    steps: [
      create('r.ndjson', '--out $DIR/r.csv'),
      { show: 'r.csv' },
      create('r.ndjson', '--out $DIR/r2.tsv --quiet'),
      { show: 'r2.tsv' },
      create('r.ndjson', '--out $DIR/r3.json --quiet'),
      { show: 'r3.json' },
      create('r.ndjson', '--out $DIR/r.xlsx'),
    ],
  },
  'what was dropped or should be different': {
    files: { 'r.ndjson': ODD },
    steps: [create('r.ndjson')],
    matters: ['creators', 'sizes'],
  },
});

frozen('dois create sends nothing of a file', {
  'with a line that holds no record': {
    files: {
      'r.ndjson': '{"prefix":"10.5072"}\n{"prefix":\n[]\n',
      'list.ndjson': [[draft('a', 'A')], [draft('b', 'B')]],
      'results.ndjson': [
        { line: 1, doi: '10.5072/a', outcome: 'created', errors: [] },
        draft('b', 'B'),
      ],
      'none.ndjson': '\n\n',
      'dois.txt': '10.5072/a\n10.5072/b\n',
    },
    steps: ['r', 'list', 'results', 'none']
      .map((name) => create(`${name}.ndjson`))
      .concat(create('dois.txt')),
  },
  'that names a DOI again': {
    files: {
      'r.ndjson': [draft('a', 'A'), draft('b', 'B'), draft('A', 'C')],
      'r.csv': 'doi,version\n10.5072/a,1\nhttps://doi.org/10.5072/A,2\n',
      'x/1.xml': xml('a', 'A'),
      'x/2.xml': xml('a', 'B'),
    },
    steps: [create('r.ndjson'), create('r.csv'), create('x')],
  },
  'with an event of its own next to --event, or show': {
    files: {
      'r.ndjson': [draft('a', 'A', { event: 'publish' }), draft('b', 'B', { event: 'show' })],
    },
    steps: [create('r.ndjson', '--event register'), create('r.ndjson')],
  },
  'with columns that are not known': {
    files: {
      'r.csv': 'doi,Titel,titles[0].title\n10.5072/a,x,A\n',
      'wide.csv': 'doi,version\n10.5072/a,1,2\n',
    },
    steps: [create('r.csv'), create('wide.csv')],
  },
  'without credentials that are accepted': {
    files: { 'r.ndjson': THREE },
    steps: [
      { run: create('r.ndjson'), as: 'nobody' },
      { run: create('r.ndjson'), as: 'impostor' },
      { run: create('r.ndjson'), as: 'member' },
    ],
  },
});

frozen('dois create of many that the service refuses', {
  'sends what --no-validate does not check': {
    files: { 'r.ndjson': MIXED },
    steps: [create('r.ndjson', '--no-validate')],
  },
  'says that a DOI is taken': {
    stored: [draft('b', 'Before')],
    files: { 'r.ndjson': THREE },
    steps: [create('r.ndjson')],
  },
  'says which records are in another state': {
    files: { 'r.ndjson': THREE.slice(0, 2) },
    steps: [
      create('r.ndjson', '--event hide --no-validate'),
      create('r.ndjson', '--event hide --no-validate'),
    ],
  },
  'ends with the first failure with --fail-fast': {
    files: { 'r.ndjson': [...MIXED, ...THREE.slice(2)] },
    steps: [create('r.ndjson', '--fail-fast'), create('r.ndjson')],
  },
  'takes several jobs': {
    files: {
      'r.ndjson': [
        ...THREE,
        draft('d', 'D', { url: 'nonsense' }),
        draft('e', 'E'),
        draft('f', 'F'),
      ],
    },
    steps: ['dois create --file $DIR/r.ndjson --jobs 4'],
    isUnordered: true,
  },
});
