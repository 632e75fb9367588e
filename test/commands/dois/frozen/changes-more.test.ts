import { draft, whole } from './records.ts';
import { frozen } from './scene.ts';

const STORED = ['a', 'b', 'c', 'd'].map((suffix) => whole(suffix, suffix.toUpperCase()));
const DOIS = STORED.map(({ doi }) => `${doi}\n`).join('');
const publish = (more = '') => `dois publish --file $DIR/dois.txt --jobs 1${more && ` ${more}`}`;
const TERMINAL = { stdin: true, stderr: true };

frozen('dois publish with a file of', {
  'results, of which some failed': {
    stored: STORED.slice(0, 2),
    files: {
      'r.ndjson': [
        { line: 1, doi: '10.5072/a', state: 'draft', outcome: 'created', errors: [] },
        {
          line: 2,
          doi: '10.5072/b',
          state: null,
          outcome: 'failed',
          errors: [{ path: 'url', message: 'is wrong' }],
        },
        { line: 3, doi: null, state: null, outcome: 'failed', errors: [] },
      ],
    },
    steps: ['dois publish --file $DIR/r.ndjson --jobs 1'],
  },
  'records, rows and DOIs in JSON': {
    stored: STORED,
    files: {
      'r.ndjson': [
        { id: '10.5072/a', type: 'dois', attributes: { doi: '10.5072/a' } },
        { data: { type: 'dois', attributes: { doi: '10.5072/b' } } },
        { doi: '10.5072/c', version: '2' },
        '10.5072/d',
      ],
      'r.csv': 'version,doi\n1,10.5072/a\n2,10.5072/none\n',
    },
    steps: [
      'dois publish --file $DIR/r.ndjson --jobs 1',
      'dois publish --file $DIR/r.csv --jobs 1',
    ],
  },
  'DOIs from stdin': {
    stored: STORED.slice(0, 2),
    steps: [
      { run: 'dois publish --file - --jobs 1', stdin: '10.5072/a\n10.5072/none\n10.5072/b\n' },
    ],
  },
  'what names no DOIs': {
    files: {
      'word.txt': '10.5072/a\nnonsense\n',
      'two.txt': '10.5072/c\n10.5072/a,10.5072/b\n',
      'dry.ndjson': [{ line: 1, doi: '10.5072/a', outcome: 'valid', errors: [] }],
      'none.txt': '\n',
    },
    steps: [
      ...['word.txt', 'two.txt', 'dry.ndjson', 'none.txt'].map(
        (name) => `dois publish --file $DIR/${name}`,
      ),
      'dois publish',
      'dois publish 10.5072/a --file $DIR/word.txt',
      'dois publish 10.5072/a --jobs 2',
    ],
  },
});

frozen('dois publish', {
  'names what the record lacks, and the command that sets it': {
    stored: [draft('a', 'A')],
    steps: [
      'dois publish 10.5072/a',
      'dois publish 10.5072/a --format json',
      'dois publish 10.5072/a --no-validate',
      { run: 'dois publish --file - --jobs 1', stdin: '10.5072/a\n' },
      { run: 'dois publish --file - --jobs 1 --no-validate', stdin: '10.5072/a\n' },
    ],
  },
  'asks on a terminal before a file of DOIs is registered': {
    stored: STORED.slice(0, 2),
    files: { 'dois.txt': '10.5072/a\n10.5072/b\n' },
    steps: [
      { run: publish('--quiet'), terminal: TERMINAL, stdin: 'n\n' },
      { run: publish('--quiet'), terminal: TERMINAL, stdin: 'y\n' },
    ],
  },
  'shows tables on a terminal': {
    stored: STORED,
    files: { 'dois.txt': `${DOIS}10.5072/none\n` },
    steps: [{ run: publish('--yes'), terminal: { stdout: true } }],
  },
  'writes a file of results': {
    stored: STORED.slice(0, 2),
    files: { 'dois.txt': '10.5072/a\n10.5072/none\n10.5072/b\n' },
    steps: [publish('--out $DIR/results.csv'), { show: 'results.csv' }],
  },
  'stops by an interrupt, and continues': {
    stored: STORED,
    files: { 'dois.txt': DOIS },
    steps: [{ run: publish(), stop: { at: 'PUT 2', by: 'SIGINT' } }, publish(), publish()],
  },
  'stops when the service stays away, and continues': {
    stored: STORED,
    files: { 'dois.txt': DOIS },
    steps: [{ faults: ['500@4+'] }, publish('--retries 0'), { faults: [] }, publish('--retries 0')],
  },
  'ends with the first failure with --fail-fast': {
    stored: STORED.slice(1),
    files: { 'dois.txt': DOIS },
    steps: [publish('--fail-fast'), publish()],
  },
  'waits where it is throttled': {
    stored: STORED.slice(0, 2),
    files: { 'dois.txt': '10.5072/a\n10.5072/b\n' },
    steps: [{ faults: ['429@4=2', '403@6'] }, publish()],
  },
  'takes several jobs': {
    stored: STORED,
    files: { 'dois.txt': DOIS },
    steps: ['dois publish --file $DIR/dois.txt --jobs 4'],
    isUnordered: true,
  },
});

frozen('dois hide --reason', {
  'keeps the reason in the record': {
    stored: STORED.map((record) => ({ ...record, event: 'publish' })),
    files: { 'dois.txt': '10.5072/b\n10.5072/c\n' },
    steps: [
      'dois hide 10.5072/a --reason Withdrawn --format text',
      'dois hide 10.5072/a --reason Withdrawn --format text',
      'dois hide 10.5072/a --reason "Withdrawn by its authors" --format text',
      'dois hide --file $DIR/dois.txt --reason Withdrawn --jobs 1',
      'dois hide --file $DIR/dois.txt --reason Moved --dry-run',
      'dois hide --file $DIR/dois.txt --jobs 1',
    ],
    matters: ['reason'],
  },
});

frozen('dois delete', {
  'needs a confirmation': {
    stored: STORED.slice(0, 3),
    files: { 'dois.txt': '10.5072/a\n10.5072/b\n' },
    steps: [
      'dois delete 10.5072/a',
      'dois delete --file $DIR/dois.txt',
      { run: 'dois delete 10.5072/a 10.5072/b --quiet', terminal: TERMINAL, stdin: 'n\n' },
      { run: 'dois delete 10.5072/a --quiet', terminal: TERMINAL, stdin: 'y\n' },
      {
        run: 'dois delete --file $DIR/dois.txt --quiet --jobs 1',
        terminal: TERMINAL,
        stdin: 'y\n',
      },
      {
        run: 'dois delete --file $DIR/dois.txt --quiet --yes --jobs 1',
        terminal: { stdout: true },
      },
    ],
  },
  'stops by a kill, and continues': {
    stored: STORED.slice(0, 3),
    files: { 'dois.txt': DOIS },
    steps: [
      {
        run: 'dois delete --file $DIR/dois.txt --yes --jobs 1',
        stop: { at: 'DELETE 1', by: 'kill' },
      },
      'dois delete --file $DIR/dois.txt --yes --jobs 1',
    ],
  },
});

frozen('dois transfer', {
  'needs a confirmation, a member and a repository that exists': {
    stored: STORED.slice(0, 1),
    files: { 'dois.txt': '10.5072/a\n' },
    steps: [
      { run: 'dois transfer 10.5072/a --to DEMO.OTHER', as: 'member' },
      { run: 'dois transfer --file $DIR/dois.txt --to DEMO.OTHER', as: 'member' },
      { run: 'dois transfer 10.5072/a --to DEMO.NONE --yes', as: 'member' },
      { run: 'dois transfer --file $DIR/dois.txt --to DEMO.NONE --yes', as: 'member' },
      { run: 'dois transfer 10.5072/a --yes', as: 'member' },
      'dois transfer 10.5072/a --to DEMO.OTHER --yes',
      'dois transfer --file $DIR/dois.txt --to DEMO.OTHER --yes',
    ],
  },
});
