import { draft, whole } from './records.ts';
import { frozen } from './scene.ts';

const KILLED = 'dois create --file $DIR/killed.ndjson --jobs 1';
const UNANSWERED =
  'dois create --file $DIR/unanswered.ndjson --event register --jobs 1 --retries 1';
const EDITED = 'dois update --file $DIR/edited.csv --jobs 1';
const HELD = [whole('w', 'W'), whole('x', 'X2'), whole('y', 'theirs'), whole('z', 'Z')];

frozen('the ledger of an earlier version', {
  'of a run that was killed looks for the record in doubt, and creates it': {
    ledger: 'killed.ndjson',
    steps: [
      KILLED,
      { edit: 'killed.ndjson', from: 'nonsense', to: 'https://example.org/b' },
      KILLED,
    ],
  },
  'of a run that was killed finds the record in doubt': {
    ledger: 'killed.ndjson',
    stored: [draft('d43q-magw-2e04', 'D')],
    steps: [KILLED],
  },
  'of a run that was killed keeps its lines as they were': {
    ledger: 'killed.ndjson',
    steps: [
      { edit: 'killed.ndjson', from: '"D"', to: '"D2"' },
      KILLED,
      { edit: 'killed.ndjson', from: '"D2"', to: '"D"' },
      { edit: 'killed.ndjson', from: '"A"', to: '"A2"' },
      KILLED,
      { edit: 'killed.ndjson', from: '"A2"', to: '"A"' },
      `${KILLED} --event register`,
    ],
  },
  'of a run without answers looks for each record': {
    ledger: 'unanswered.ndjson',
    stored: [
      whole('q', 'Q', { event: 'register' }),
      whole('445p-5vqf-8c05', 'S', { event: 'register' }),
    ],
    steps: [UNANSWERED, UNANSWERED],
  },
  'of an update knows what was sent, and tries what failed': {
    ledger: 'edited.csv',
    stored: HELD,
    steps: [
      EDITED,
      { edit: 'edited.csv', from: ',X2,', to: ',X3,' },
      EDITED,
      `${EDITED} --overwrite`,
    ],
  },
});
