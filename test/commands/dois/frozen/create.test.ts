import { draft, whole, xml } from './records.ts';
import { frozen } from './scene.ts';

const TEXT = '--format text';
const OPTIONS =
  '--title "A test" --creator "Doe, Jane" --publisher Demo --year 2026 --type Dataset';
const indented = (value: object) => JSON.stringify(value, undefined, 2);

frozen('dois create with options', {
  'sends all that describe a record': {
    steps: [
      'dois create --doi 10.5072/A --title "A test" --title "Its other title" ' +
        '--creator "Doe, Jane;orcid=0000-0002-1825-0097;affiliation=Demo Lab" --creator "Lake Group" ' +
        '--publisher Demo --year 2026 --type Dataset --url https://example.org/a ' +
        '--description "An abstract" --subject lakes --event publish',
    ],
    matters: ['creators', 'subjects'],
  },
  'leaves the suffix to the service': {
    steps: [
      `dois create --prefix 10.5072 ${OPTIONS} ${TEXT}`,
      `dois create --doi 10.5072 ${OPTIONS} ${TEXT}`,
    ],
  },
  'prints one line of JSON with ndjson': {
    steps: [`dois create --doi 10.5072/a --title A --format ndjson`],
  },
  'shows with --dry-run what the service would hold': {
    steps: [
      `dois create --doi 10.5072/a ${OPTIONS} --url https://example.org/a --event register --dry-run`,
    ],
  },
  'refuses values that the schema lacks': {
    steps: [
      'dois create --doi 10.5072/a --title A --type Datset',
      'dois create --doi 10.5072/a --title A --event publish --format json',
      'dois create --doi 10.5072/a --title A --year 20',
    ],
  },
  'refuses what names no DOI and no prefix, and nothing at all': {
    steps: [
      'dois create --title A',
      'dois create',
      'dois create --event show --title A',
      'dois create --jobs 2',
    ],
  },
  'sends nothing without credentials that are accepted': {
    steps: [
      { run: 'dois create --doi 10.5072/a --title A', as: 'nobody' },
      { run: 'dois create --doi 10.5072/a --title A', as: 'impostor' },
      { run: 'dois create --doi 10.5072/a --title A', as: 'member' },
    ],
  },
});

frozen('dois create with a record', {
  'takes a JSON:API document': {
    files: { 'record.json': indented({ data: { type: 'dois', attributes: whole('a', 'A') } }) },
    steps: [`dois create --file $DIR/record.json --event register ${TEXT}`],
  },
  'takes bare attributes with their own event from stdin': {
    steps: [{ run: 'dois create --file -', stdin: [whole('a', 'A', { event: 'publish' })] }],
  },
  'takes a resource object by its id': {
    files: {
      'record.json': indented({
        id: '10.5072/a',
        type: 'dois',
        attributes: { titles: [{ title: 'A' }] },
      }),
    },
    steps: [`dois create --file $DIR/record.json ${TEXT}`],
  },
  'takes a record without a DOI with --prefix': {
    files: { 'record.json': indented({ titles: [{ title: 'A' }] }) },
    steps: [
      'dois create --file $DIR/record.json',
      `dois create --file $DIR/record.json --prefix 10.5072 ${TEXT}`,
    ],
  },
  'takes XML with the URL of --url': {
    files: { 'record.xml': xml('a', 'A') },
    steps: [
      'dois create --file $DIR/record.xml --url https://example.org/{suffix} --event publish --dry-run',
      'dois create --file $DIR/record.xml --url https://example.org/{suffix} --event publish',
    ],
  },
  'takes XML from stdin': {
    steps: [{ run: `dois create --file - ${TEXT}`, stdin: xml('a', 'A') }],
  },
  'refuses XML that is not well-formed, or lacks an element': {
    files: {
      'cut.xml': xml('a', 'A').slice(0, 300),
      'lacking.xml': xml('a', 'A').replace(/<publisher>.*/, ''),
    },
    steps: [
      'dois create --file $DIR/cut.xml',
      'dois create --file $DIR/lacking.xml --event publish',
    ],
  },
  'refuses options that the file excludes': {
    files: { 'record.json': indented(draft('a', 'A')) },
    steps: [
      'dois create --file $DIR/record.json --title B',
      'dois create --file $DIR/record.json --url https://example.org/a',
      'dois create --file $DIR/record.json --map Title=titles[0].title',
      'dois create --file $DIR/none.json',
    ],
  },
  'names the line of each error, and sends nothing': {
    files: {
      'record.json': indented({
        ...whole('a', 'A'),
        types: { resourceTypeGeneral: 'Datset' },
        url: 'nonsense',
      }),
    },
    steps: [
      'dois create --file $DIR/record.json --event publish',
      'dois create --file $DIR/record.json --event publish --format json',
    ],
  },
  'refuses two DOIs, two events, and an event that does not exist': {
    steps: [
      { run: 'dois create --file -', stdin: [{ id: '10.5072/b', attributes: draft('a', 'A') }] },
      {
        run: 'dois create --file - --event publish',
        stdin: [draft('a', 'A', { event: 'register' })],
      },
      { run: 'dois create --file -', stdin: [draft('a', 'A', { event: 'publsh' })] },
      { run: 'dois create --file -', stdin: '{"titles":[' },
      { run: 'dois create --file -', stdin: '' },
    ],
  },
  'corrects a record, and tells what is dropped': {
    files: {
      'record.json': indented({
        ...draft('a', 'A'),
        creators: { name: 'Doe, Jane', affiliation: 'Demo Lab' },
        language: 'English',
        nonsuch: 1,
      }),
    },
    steps: [
      'dois create --file $DIR/record.json --dry-run',
      `dois create --file $DIR/record.json ${TEXT}`,
    ],
    matters: ['creators', 'language'],
  },
});

frozen('dois create that the service refuses', {
  'says what is wrong with the record': {
    files: { 'record.json': indented({ ...whole('a', 'A'), url: 'nonsense' }) },
    steps: [
      'dois create --file $DIR/record.json --event publish --no-validate',
      'dois create --file $DIR/record.json --event publish --no-validate --format json',
    ],
  },
  'knows the prefixes of the account': {
    steps: [
      { run: 'dois create --file -', stdin: [{ doi: '10.9999/a', titles: [{ title: 'A' }] }] },
      {
        run: 'dois create --file - --no-validate',
        stdin: [{ doi: '10.9999/a', titles: [{ title: 'A' }] }],
      },
    ],
  },
  'names the command that shows the record with the DOI': {
    stored: [draft('a', 'A')],
    steps: ['dois create --doi 10.5072/a --title B'],
  },
  'says in which state the record is': {
    steps: [{ run: 'dois create --file - --event hide --no-validate', stdin: [draft('a', 'A')] }],
  },
});

frozen('dois create without an answer', {
  'never sends a record again that may exist': {
    steps: [
      { faults: ['lost-answer@1'] },
      'dois create --doi 10.5072/a --title A',
      { faults: ['lost-answer@1'] },
      'dois create --prefix 10.5072 --title B',
      { faults: ['504@2'] },
      'dois create --doi 10.5072/c --title C --format json',
      { faults: ['500@2'] },
      'dois create --doi 10.5072/d --title D',
    ],
  },
  'waits where it is throttled': {
    steps: [
      { faults: ['429@2=2'] },
      `dois create --doi 10.5072/a --title A ${TEXT}`,
      { faults: ['403@2'] },
      `dois create --doi 10.5072/b --title B ${TEXT}`,
    ],
  },
  'waits for the answer when it is interrupted': {
    steps: [
      {
        run: `dois create --doi 10.5072/a --title A ${TEXT}`,
        stop: { at: 'POST 1', by: 'SIGINT' },
      },
      { run: `dois create --doi 10.5072/b --title B ${TEXT}`, stop: { at: 'GET 1', by: 'SIGINT' } },
    ],
  },
});
