import { draft, whole, xml } from './records.ts';
import { frozen } from './scene.ts';

const LATER = { later: 3600 };
const indented = (value: object) => JSON.stringify(value, undefined, 2);
/** What another person does to a record in the meantime. */
const meanwhile = (change: string) =>
  ({ run: `dois update 10.5072/a ${change}`, isPreparation: true }) as const;
const exported = {
  run: 'dois get 10.5072/a --format json',
  savesAs: 'r.json',
} as const;

frozen('dois update of a record', {
  'sets values': {
    stored: [whole('a', 'A', { subjects: [{ subject: 'lakes' }] })],
    steps: [
      'dois update 10.5072/a --set version=2 --set titles[0].title=B --format text',
      `dois update 10.5072/A --set 'subjects[]={"subject":"rivers"}' --set publicationYear=2027`,
      'dois update https://doi.org/10.5072/a --set language=null --format ndjson',
    ],
    matters: ['version', 'subjects', 'publicationYear'],
  },
  'shows with --dry-run what would change': {
    stored: [whole('a', 'A')],
    steps: [
      'dois update 10.5072/a --set version=2 --set creators[0].nameType=Personal --dry-run',
      'dois update 10.5072/a --set version=2 --event publish --dry-run --format json',
      'dois update 10.5072/a --set titles[0].title=A --dry-run',
    ],
  },
  'takes a JSON document, bare attributes, and stdin': {
    stored: [whole('a', 'A')],
    files: {
      'document.json': indented({ data: { type: 'dois', attributes: { version: '2' } } }),
      'attributes.json': indented({ doi: '10.5072/A', version: '3' }),
    },
    steps: [
      'dois update 10.5072/a --file $DIR/document.json --format text',
      'dois update --file $DIR/attributes.json --format text',
      {
        run: 'dois update --file - --set version=5 --format text',
        stdin: [{ doi: '10.5072/a', url: 'https://example.org/b' }],
      },
      {
        run: 'dois update 10.5072/a --file - --format text',
        stdin: [{ version: '4', event: 'register' }],
      },
      'dois update --file $DIR/document.json',
      'dois update 10.5072/b --file $DIR/attributes.json',
    ],
    matters: ['version'],
  },
  'changes the state with --event': {
    stored: [whole('a', 'A'), draft('b', 'B')],
    steps: [
      'dois update 10.5072/a --event publish --format text',
      'dois update 10.5072/a --event hide --set version=2 --format text',
      'dois update 10.5072/a --event show --format text',
      'dois update 10.5072/a --event show --format text',
      'dois update 10.5072/b --event publish',
      'dois update 10.5072/b --event hide',
      'dois update 10.5072/b --event publish --no-validate',
    ],
  },
  'takes XML': {
    files: { 'r.xml': xml('a', 'A'), 'r2.xml': xml('a', 'B', '<version>2</version>') },
    steps: [
      { run: 'dois create --file $DIR/r.xml', isPreparation: true },
      'dois update --file $DIR/r.xml',
      'dois update --file $DIR/r2.xml --dry-run',
      'dois update 10.5072/a --file $DIR/r2.xml --event publish',
      'dois update 10.5072/a --file $DIR/r2.xml --set url=https://example.org/a --event publish --format text',
    ],
    matters: ['version'],
  },
  'sends nothing for a record that has the values already': {
    stored: [whole('a', 'A', { version: '2', event: 'publish' })],
    files: { 'r.json': indented({ doi: '10.5072/a', version: '2', titles: [{ title: 'A' }] }) },
    steps: [
      'dois update 10.5072/a --set version=2',
      'dois update --file $DIR/r.json --format text',
      'dois update 10.5072/a --event publish --format text',
    ],
  },
  'does not create a DOI that does not exist': {
    steps: [
      'dois update 10.5072/none --set version=2',
      'dois update 10.5072/none --event publish --format json',
    ],
  },
  'refuses values that only the service writes, and those that it would drop': {
    stored: [whole('a', 'A')],
    steps: [
      'dois update 10.5072/a --set state=findable',
      'dois update 10.5072/a --set viewCount=3',
      'dois update 10.5072/a --set doi=10.5072/b',
      'dois update 10.5072/a --set nonsuch=1',
      'dois update 10.5072/a --set titles[2].title=B',
      'dois update 10.5072/a --set nonsuch=1 --no-validate --format text',
      'dois update 10.5072/a',
      'dois update --set version=2',
    ],
  },
  'refuses wrong values, and names that would lose identifiers': {
    stored: [
      whole('a', 'A', {
        publisher: { name: 'Demo', publisherIdentifier: 'https://ror.org/05gq02987' },
      }),
    ],
    files: { 'r.json': indented({ doi: '10.5072/a', publisher: 'Demo', url: 'nonsense' }) },
    steps: [
      'dois update --file $DIR/r.json',
      'dois update 10.5072/a --set types.resourceTypeGeneral=Datset',
      'dois update 10.5072/a --set url=nonsense --no-validate',
    ],
  },
  'tells what it corrects, drops and takes away': {
    stored: [whole('a', 'A', { sizes: ['1 kB'] })],
    files: {
      'r.json': indented({
        doi: '10.5072/a',
        publisher: null,
        sizes: '2 kB',
        nonsuch: 1,
        language: 'German',
      }),
    },
    steps: [
      'dois update --file $DIR/r.json',
      'dois update --file $DIR/r.json --no-validate --format text',
    ],
    matters: ['publisher', 'sizes', 'language'],
  },
  'of another repository is refused': {
    foreign: [whole('a', 'A', { event: 'publish' })],
    stored: [draft('b', 'B')],
    steps: [
      'dois update 10.5072/a --set version=2',
      { run: 'dois update 10.5072/b --set version=2', as: 'other' },
      { run: 'dois update 10.5072/a --set version=2', as: 'nobody' },
      { run: 'dois update 10.5072/a --set version=2', as: 'impostor' },
      { run: 'dois update 10.5072/a --set version=2', as: 'member' },
    ],
  },
});

frozen('dois update of a record that was read before', {
  'sends what was edited, and leaves out what only the service writes': {
    stored: [whole('a', 'A')],
    steps: [
      exported,
      { edit: 'r.json', from: '"A"', to: '"B"' },
      'dois update --file $DIR/r.json --format text',
    ],
  },
  'refuses to write over a later change, unless with --overwrite': {
    stored: [whole('a', 'A')],
    steps: [
      exported,
      LATER,
      meanwhile('--set titles[0].title=theirs'),
      { edit: 'r.json', from: '"A"', to: '"mine"' },
      'dois update --file $DIR/r.json',
      'dois update --file $DIR/r.json --format json',
      'dois update --file $DIR/r.json --dry-run',
      'dois update --file $DIR/r.json --overwrite --format text',
    ],
  },
  'as a spreadsheet of one row sends the edited cells': {
    stored: [whole('a', 'A')],
    steps: [
      { run: 'dois list --mine --all --out $DIR/r.csv', isPreparation: true },
      LATER,
      meanwhile('--set version=2'),
      { edit: 'r.csv', from: ',A,', to: ',B,' },
      'dois update 10.5072/a --file $DIR/r.csv --format text',
      'dois update 10.5072/a --file $DIR/r.csv --set version=3',
    ],
    matters: ['version'],
  },
});

frozen('dois update without an answer', {
  'reads the record, and sends again what it does not hold': {
    stored: [whole('a', 'A')],
    steps: [
      { faults: ['lost-answer@1'] },
      'dois update 10.5072/a --set version=2 --format text',
      { faults: ['500@2'] },
      'dois update 10.5072/a --set version=3 --format text',
      { faults: ['504@2', '500@3'] },
      'dois update 10.5072/a --set version=4 --format text',
      { faults: ['500@2+'] },
      'dois update 10.5072/a --set version=5 --retries 1',
    ],
    matters: ['version'],
  },
  'waits where it is throttled': {
    stored: [whole('a', 'A')],
    steps: [
      { faults: ['429@1=2', '403@3'] },
      'dois update 10.5072/a --set version=2 --format text',
    ],
    matters: ['version'],
  },
  'waits for the answer when it is interrupted': {
    stored: [whole('a', 'A')],
    steps: [
      { run: 'dois update 10.5072/a --set version=2', stop: { at: 'PUT 1', by: 'SIGINT' } },
      { run: 'dois update 10.5072/a --set version=3', stop: { at: 'GET 1', by: 'SIGTERM' } },
    ],
    matters: ['version'],
  },
});
