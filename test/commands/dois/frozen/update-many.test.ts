import { draft, whole, xml } from './records.ts';
import { frozen } from './scene.ts';

const STORED = ['a', 'b', 'c'].map((suffix) => whole(suffix, suffix.toUpperCase()));
const MIXED = [
  { doi: '10.5072/b', version: '2' },
  {
    data: {
      type: 'dois',
      id: '10.5072/A',
      attributes: { url: 'https://example.org/new', event: 'publish' },
    },
  },
  { doi: '10.5072/none', version: '2' },
  { doi: '10.5072/c', titles: [{ title: 'C' }] },
  { doi: '10.5072/d', url: 'nonsense' },
];
const update = (file: string, more = '') =>
  `dois update --file $DIR/${file} --jobs 1${more && ` ${more}`}`;
const LATER = { later: 3600 };
const exportTo = (name: string) =>
  ({ run: `dois list --mine --all --out $DIR/${name}`, isPreparation: true }) as const;
const meanwhile = (doi: string, ...values: string[]) =>
  ({
    run: `dois update 10.5072/${doi} ${values.map((value) => `--set ${value}`).join(' ')}`,
    isPreparation: true,
  }) as const;

frozen('dois update with a file of', {
  NDJSON: {
    stored: STORED,
    files: { 'r.ndjson': MIXED },
    steps: [update('r.ndjson')],
    matters: ['version'],
  },
  'a JSON array': {
    stored: STORED,
    files: { 'r.json': JSON.stringify([MIXED[0], MIXED[3]], undefined, 1) },
    steps: [update('r.json')],
  },
  'NDJSON from stdin': {
    stored: STORED,
    steps: [
      { run: 'dois update --file - --jobs 1', stdin: [MIXED[0], MIXED[3]] },
      { run: 'dois update --file - --jobs 1', stdin: MIXED },
      'dois update --file $KEPT --jobs 1',
    ],
  },
  'XML, which is a folder': {
    files: {
      'x/1.xml': xml('a', 'A'),
      'x/2.xml': xml('b', 'B'),
      'y/1.xml': xml('a', 'A2'),
      'y/2.xml': xml('b', 'B'),
    },
    steps: [
      { run: 'dois create --file $DIR/x', isPreparation: true },
      update('y', '--dry-run'),
      update('y'),
    ],
  },
  'CSV with few columns': {
    stored: STORED,
    files: {
      'r.csv':
        'doi,version,titles[0].title,subjects[0].subject\n' +
        '10.5072/a,2,,\n10.5072/b,,B,\n10.5072/none,2,,\n10.5072/c,null,C2,lakes\n',
    },
    steps: [update('r.csv', '--dry-run'), update('r.csv')],
    matters: ['version', 'subjects'],
  },
  'CSV with other heads': {
    stored: STORED,
    files: { 'r.csv': 'DOI,Title\n10.5072/a,A2\n10.5072/b,B\n' },
    steps: [update('r.csv'), update('r.csv', '--map Title=titles[0].title')],
  },
  'CSV with wrong values': {
    stored: STORED,
    files: {
      'r.csv':
        'doi,publicationYear,types.resourceTypeGeneral\n10.5072/a,soon,\n10.5072/b,,Datset\n',
    },
    steps: [update('r.csv')],
  },
  'DOIs with --set': {
    stored: [...STORED, draft('d', 'D', { version: '2' })],
    files: {
      'dois.txt': '10.5072/a\nhttps://doi.org/10.5072/B\n\n10.5072/A\n10.5072/none\n10.5072/d\n',
      'results.ndjson': [
        { line: 1, doi: '10.5072/a', state: 'draft', outcome: 'created', errors: [] },
        {
          line: 2,
          doi: '10.5072/c',
          state: null,
          outcome: 'failed',
          errors: [{ path: null, message: 'no' }],
        },
      ],
      'list.csv': 'title,doi\nA,10.5072/a\nB,10.5072/b\n',
    },
    steps: [
      update('dois.txt', '--set version=2 --dry-run'),
      update('dois.txt', '--set version=2'),
      update('results.ndjson', '--set version=3'),
      update('list.csv', '--set version=4 --event register'),
      update('dois.txt', '--event publish'),
    ],
    matters: ['version'],
  },
});

frozen('dois update with an export that comes back', {
  'as CSV changes the edited cells, and refuses what others have changed': {
    stored: STORED,
    steps: [
      exportTo('r.csv'),
      LATER,
      meanwhile('a', 'version=7'),
      meanwhile('b', 'titles[0].title=theirs', 'version=7'),
      { edit: 'r.csv', from: ',A,', to: ',A2,' },
      { edit: 'r.csv', from: ',B,', to: ',B2,' },
      update('r.csv', '--dry-run'),
      update('r.csv'),
      update('r.csv', '--format text'),
      update('r.csv', '--overwrite'),
    ],
    matters: ['version'],
  },
  'as TSV is the same': {
    stored: STORED,
    steps: [
      exportTo('r.tsv'),
      { edit: 'r.tsv', from: '\tB\t', to: '\tB2\t' },
      update('r.tsv'),
      update('r.tsv'),
    ],
  },
  'as NDJSON changes the edited attributes, and refuses what others have changed': {
    stored: STORED,
    steps: [
      exportTo('r.ndjson'),
      LATER,
      meanwhile('a', 'version=7'),
      meanwhile('b', 'titles[0].title=theirs'),
      { edit: 'r.ndjson', from: '"title":"B"', to: '"title":"B2"' },
      { edit: 'r.ndjson', from: '"title":"C"', to: '"title":"C2"' },
      update('r.ndjson', '--dry-run'),
      update('r.ndjson'),
      update('r.ndjson', '--overwrite'),
    ],
    matters: ['version'],
  },
  'is edited again, and knows what it has sent': {
    stored: STORED.slice(0, 2),
    steps: [
      exportTo('r.csv'),
      { edit: 'r.csv', from: ',A,', to: ',A2,' },
      { edit: 'r.csv', from: ',B,', to: ',B2,' },
      update('r.csv'),
      { edit: 'r.csv', from: ',A2,', to: ',A3,' },
      LATER,
      update('r.csv'),
      { edit: 'r.csv', from: ',A3,', to: ',A4,' },
      meanwhile('a', 'titles[0].title=theirs'),
      update('r.csv'),
    ],
  },
  'without the column exported is refused': {
    stored: STORED.slice(0, 2),
    files: {
      'r.csv': 'doi,client,titles[0].title\n10.5072/a,demo.repo,A2\n10.5072/b,demo.repo,B\n',
    },
    steps: [
      update('r.csv'),
      update('r.csv', '--dry-run'),
      { run: update('r.csv', '--quiet'), terminal: { stdin: true, stderr: true }, stdin: 'n\n' },
      update('r.csv', '--overwrite'),
    ],
  },
  'with the time of the last update knows what was changed since': {
    stored: STORED.slice(0, 2),
    files: {
      'r.csv':
        'doi,titles[0].title,updated\n' +
        '10.5072/a,A2,2026-05-01T12:00:00.000Z\n10.5072/b,B2,2026-05-01T12:00:00.000Z\n',
    },
    steps: [
      LATER,
      meanwhile('b', 'titles[0].title=theirs'),
      update('r.csv'),
      update('r.csv', '--overwrite'),
    ],
  },
  'with columns that were sorted apart is refused': {
    stored: STORED.slice(0, 2),
    steps: [
      exportTo('r.csv'),
      { edit: 'r.csv', from: '10.5072/a,', to: '10.5072/x,' },
      { edit: 'r.csv', from: '10.5072/b,', to: '10.5072/a,' },
      update('r.csv'),
    ],
  },
  'tells of cells that were emptied': {
    stored: [whole('a', 'A', { version: 'one' })],
    steps: [
      exportTo('r.csv'),
      { edit: 'r.csv', from: ',one,', to: ',,' },
      update('r.csv'),
      { edit: 'r.csv', from: ',A,', to: ',A2,' },
      update('r.csv'),
    ],
    matters: ['version'],
  },
});

frozen('dois update of many prints', {
  'tables on a terminal': {
    stored: STORED,
    files: {
      'r.ndjson': [...MIXED, { doi: '10.5072/e', titles: [{ title: 'E', lang: 'English' }] }],
    },
    steps: [{ run: update('r.ndjson'), terminal: { stdout: true } }],
  },
  'results into files': {
    stored: STORED,
    files: { 'r.ndjson': MIXED },
    steps: [
      update('r.ndjson', '--dry-run --out $DIR/dry.csv'),
      { show: 'dry.csv' },
      update('r.ndjson', '--out $DIR/r.csv'),
      { show: 'r.csv' },
      update('r.ndjson', '--format json'),
    ],
  },
  'what was dropped or should be different': {
    stored: STORED,
    files: {
      'r.ndjson': [
        { doi: '10.5072/a', language: 'German', version: '2' },
        { doi: '10.5072/b', sizes: '1 kB' },
      ],
    },
    steps: [update('r.ndjson')],
    matters: ['language', 'sizes'],
  },
});

frozen('dois update sends nothing of a file', {
  'with a line that cannot be used': {
    files: {
      'r.ndjson': [{ doi: '10.5072/a' }, { version: '2' }],
      'again.ndjson': [
        { doi: '10.5072/a', version: '2' },
        { doi: '10.5072/b' },
        { doi: '10.5072/A', version: '3' },
      ],
      'unknattributes.ndjson': [
        { doi: '10.5072/a', nonsuch: 1 },
        { doi: '10.5072/b', version: '2' },
      ],
      'attributes.ndjson': [{ doi: '10.5072/a', version: '2' }, { doi: '10.5072/b' }],
      'dois.txt': '10.5072/a\n10.5072/b\n',
    },
    steps: [
      update('r.ndjson'),
      update('again.ndjson'),
      update('unknattributes.ndjson'),
      update('attributes.ndjson', '--set version=3'),
      update('dois.txt', '--event publish'),
      update('attributes.ndjson', '--set state=draft'),
    ],
  },
});
