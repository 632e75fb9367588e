import { draft } from './records.ts';
import { frozen } from './scene.ts';

const FOUR = ['a', 'b', 'c', 'd'].map((suffix) => draft(suffix, suffix.toUpperCase()));
const SIX = ['A', 'B', 'C', 'D', 'E', 'F'].map((title) => ({
  prefix: '10.5072',
  titles: [{ title }],
}));
const MADE = SIX.slice(0, 4);
const create = (more = '') => `dois create --file $DIR/r.ndjson --jobs 1${more && ` ${more}`}`;

frozen('dois create again', {
  'sends nothing when all is done, and prints the same': {
    files: { 'r.ndjson': MADE.slice(0, 2) },
    steps: [create(), create(), create('--out $DIR/results.csv'), { show: 'results.csv' }],
  },
  'sends a corrected line': {
    files: {
      'r.ndjson': [
        ...MADE.slice(0, 2),
        { ...MADE[2], url: 'nonsense' },
        { ...MADE[3], prefix: '10.9999' },
      ],
    },
    steps: [
      create(),
      { edit: 'r.ndjson', from: 'nonsense', to: 'https://example.org/c' },
      create(),
      { edit: 'r.ndjson', from: '10.9999', to: '10.5072' },
      create(),
    ],
  },
  'sends a line that the service refused': {
    files: { 'r.ndjson': [MADE[0], { ...MADE[1], url: 'nonsense' }] },
    steps: [
      create('--no-validate'),
      create('--no-validate'),
      { edit: 'r.ndjson', from: 'nonsense', to: 'https://example.org/b' },
      create('--no-validate'),
    ],
  },
  'refuses lines that have changed since they were done, and takes more of them': {
    files: { 'r.ndjson': FOUR.slice(0, 2) },
    steps: [
      create(),
      { write: 'r.ndjson', content: [draft('a', 'other'), ...FOUR.slice(1)] },
      create(),
      { write: 'r.ndjson', content: FOUR.slice(0, 1) },
      create(),
      { write: 'r.ndjson', content: [draft('x', 'X'), ...FOUR.slice(0, 2)] },
      create(),
      { write: 'r.ndjson', content: FOUR.slice(0, 3) },
      create(),
    ],
  },
  'refuses a ledger of another event or account': {
    files: { 'r.ndjson': FOUR.slice(0, 1) },
    steps: [
      create(),
      create('--event register'),
      { run: create(), as: 'other' },
      create('--ledger $DIR/r.ndjson'),
    ],
  },
  'asks before it makes records anew with another ledger': {
    files: { 'r.ndjson': MADE.slice(0, 1) },
    steps: [
      create(),
      create('--ledger $DIR/other.ledger'),
      {
        run: create('--ledger $DIR/other.ledger --quiet'),
        stdin: 'n\n',
        terminal: { stdin: true, stderr: true },
      },
      create('--ledger $DIR/other.ledger --yes'),
      create('--ledger $DIR/other.ledger'),
    ],
  },
  'refuses a ledger that is damaged': {
    files: { 'r.ndjson': FOUR.slice(0, 2) },
    steps: [create(), { edit: 'r.ndjson.create-ledger', from: '"draft"', to: '"other"' }, create()],
  },
});

frozen('dois create of many without an answer', {
  'looks for a record whose answer was lost': {
    files: { 'r.ndjson': [FOUR[0], MADE[1], FOUR[2]] },
    steps: [{ faults: ['lost-answer@1,2'] }, create()],
  },
  'sends a record again that is not there': {
    files: { 'r.ndjson': [FOUR[0], MADE[1]] },
    steps: [{ faults: ['500@3,6'] }, create()],
  },
  'looks again for a record when the first look fails': {
    files: { 'r.ndjson': [MADE[0]] },
    steps: [{ faults: ['504@3', '500@4'] }, create()],
  },
  'waits where it is throttled': {
    files: { 'r.ndjson': FOUR.slice(0, 3) },
    steps: [{ faults: ['429@3=2', '403@5'] }, create()],
  },
  'stops when the service stays away, and continues': {
    files: { 'r.ndjson': SIX },
    steps: [{ faults: ['reset@4+'] }, create('--retries 1'), { faults: [] }, create('--retries 1')],
  },
  'of a line in doubt refuses to send another record': {
    files: { 'r.ndjson': MADE.slice(0, 2) },
    steps: [
      { faults: ['reset@4+'] },
      create('--retries 0'),
      { faults: [] },
      { edit: 'r.ndjson', from: '"B"', to: '"X"' },
      create('--retries 0'),
      { edit: 'r.ndjson', from: '"X"', to: '"B"' },
      create('--retries 0'),
    ],
  },
  'from stdin names the command that continues': {
    steps: [
      { faults: ['500@4+'] },
      { run: 'dois create --file - --jobs 1 --retries 0', stdin: SIX },
      { faults: [] },
      'dois create --file $KEPT --jobs 1 --retries 0',
    ],
  },
});

frozen('dois create that is stopped', {
  'by an interrupt hears the last answer, and continues': {
    files: { 'r.ndjson': MADE },
    steps: [{ run: create(), stop: { at: 'POST 2', by: 'SIGINT' } }, create()],
  },
  'by SIGTERM writes no file of results, and continues': {
    files: { 'r.ndjson': MADE },
    steps: [
      { run: create('--out $DIR/out.csv'), stop: { at: 'POST 2', by: 'SIGTERM' } },
      create('--out $DIR/out.csv'),
      { show: 'out.csv' },
    ],
  },
  'because its reader has gone says what is left': {
    files: { 'r.ndjson': SIX },
    steps: [{ run: create(), closesAfter: 1 }, create()],
  },
  'with stdin keeps the records': {
    steps: [
      { run: 'dois create --file - --jobs 1', stdin: MADE, stop: { at: 'POST 2', by: 'SIGHUP' } },
      'dois create --file $KEPT --jobs 1',
    ],
  },
});

frozen('dois create that is killed', {
  'finds the record that was created last': {
    files: { 'r.ndjson': MADE },
    steps: [{ run: create(), stop: { at: 'POST 3', by: 'kill' } }, create()],
  },
  'creates the record that was not': {
    files: { 'r.ndjson': MADE },
    steps: [{ run: create(), stop: { at: 'POST 3', by: 'kill', isLost: true } }, create()],
  },
  'finds a DOI that the file names': {
    files: { 'r.ndjson': FOUR },
    steps: [{ run: create(), stop: { at: 'POST 2', by: 'kill' } }, create()],
  },
  'before the first record begins anew': {
    files: { 'r.ndjson': MADE.slice(0, 2) },
    steps: [{ run: create(), stop: { at: 'GET 1', by: 'kill' } }, create()],
  },
  'twice continues each time': {
    files: { 'r.ndjson': MADE },
    steps: [
      { run: create(), stop: { at: 'POST 2', by: 'kill' } },
      { run: create(), stop: { at: 'POST 1', by: 'kill', isLost: true } },
      create(),
      create(),
    ],
  },
  'knows that a DOI belongs to another record': {
    stored: [draft('b', 'Before')],
    files: { 'r.ndjson': FOUR },
    steps: [{ run: create(), stop: { at: 'POST 2', by: 'kill' } }, create()],
  },
});
