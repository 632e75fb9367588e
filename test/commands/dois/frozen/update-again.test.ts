import { whole } from './records.ts';
import { frozen } from './scene.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'];
const SIX = LETTERS.map((suffix) => whole(suffix, suffix.toUpperCase()));
const STORED = SIX.slice(0, 4);
const SIX_LINES = LETTERS.map((suffix) => ({ doi: `10.5072/${suffix}`, version: '2' }));
const LINES = SIX_LINES.slice(0, 4);
const update = (more = '') => `dois update --file $DIR/r.ndjson --jobs 1${more && ` ${more}`}`;
const matters = ['version'];

frozen('dois update of many again', {
  'sends nothing when all is done, and what a changed line asks for': {
    stored: STORED.slice(0, 2),
    files: { 'r.ndjson': LINES.slice(0, 2) },
    steps: [update(), update(), { edit: 'r.ndjson', from: '"2"', to: '"3"' }, update()],
    matters,
  },
  'sends a corrected line': {
    stored: STORED.slice(0, 3),
    files: {
      'r.ndjson': [
        LINES[0],
        { ...LINES[1], url: 'nonsense' },
        { doi: '10.5072/none', version: '2' },
      ],
    },
    steps: [
      update(),
      { edit: 'r.ndjson', from: 'nonsense', to: 'https://example.org/b2' },
      { edit: 'r.ndjson', from: 'none', to: 'c' },
      update(),
    ],
    matters,
  },
  'refuses a ledger of another event': {
    stored: STORED.slice(0, 1),
    files: { 'r.ndjson': LINES.slice(0, 1) },
    steps: [
      update(),
      update('--event publish'),
      update('--event publish --ledger $DIR/other.ledger'),
    ],
    matters,
  },
  'with --set keeps its ledger until all is tried': {
    stored: STORED,
    files: { 'r.txt': LINES.map(({ doi }) => `${doi}\n`).join('') },
    steps: [
      { faults: ['500@3+'] },
      'dois update --file $DIR/r.txt --set version=3 --retries 0 --jobs 1',
      { faults: [] },
      'dois update --file $DIR/r.txt --set version=4 --jobs 1',
      'dois update --file $DIR/r.txt --set version=3 --jobs 1',
      'dois update --file $DIR/r.txt --set version=4 --jobs 1',
    ],
    matters,
  },
});

frozen('dois update of many without an answer', {
  'reads the record, and sends again what it does not hold': {
    stored: STORED,
    files: { 'r.ndjson': LINES },
    steps: [{ faults: ['lost-answer@1', '500@6'] }, update()],
    matters,
  },
  'waits where it is throttled': {
    stored: STORED.slice(0, 2),
    files: { 'r.ndjson': LINES.slice(0, 2) },
    steps: [{ faults: ['429@3=2', '403@5'] }, update()],
    matters,
  },
  'stops when the service stays away, and continues': {
    stored: STORED,
    files: { 'r.ndjson': LINES },
    steps: [{ faults: ['reset@3+'] }, update('--retries 1'), { faults: [] }, update('--retries 1')],
    matters,
  },
});

frozen('dois update of many that ends early', {
  'by an interrupt hears the last answer, and continues': {
    stored: STORED,
    files: { 'r.ndjson': LINES },
    steps: [{ run: update(), stop: { at: 'PUT 2', by: 'SIGINT' } }, update()],
    matters,
  },
  'by SIGTERM sends nothing of the next line': {
    stored: STORED,
    files: { 'r.ndjson': LINES },
    steps: [{ run: update(), stop: { at: 'GET 3', by: 'SIGTERM' } }, update()],
    matters,
  },
  'by a kill before any answer tries all lines': {
    stored: STORED.slice(0, 2),
    files: { 'r.ndjson': LINES.slice(0, 2) },
    steps: [{ run: update(), stop: { at: 'PUT 1', by: 'kill' } }, update()],
    matters,
  },
  'with the first failure with --fail-fast': {
    stored: STORED.slice(1),
    files: { 'r.ndjson': LINES },
    steps: [update('--fail-fast'), update()],
    matters,
  },
  'because its reader has gone says what is left': {
    stored: SIX,
    files: { 'r.ndjson': SIX_LINES },
    steps: [{ run: update(), closesAfter: 1 }, update()],
    matters,
  },
});

frozen('dois update of many that the service refuses', {
  'says why': {
    stored: STORED.slice(1),
    foreign: [whole('a', 'A', { event: 'publish' })],
    files: { 'r.ndjson': [LINES[0], { ...LINES[1], url: 'nonsense' }, LINES[2]] },
    steps: [update('--no-validate')],
    matters,
  },
  'takes several jobs': {
    stored: STORED,
    files: { 'r.ndjson': [...LINES, { doi: '10.5072/none', version: '2' }] },
    steps: ['dois update --file $DIR/r.ndjson --jobs 3'],
    matters,
    isUnordered: true,
  },
});
