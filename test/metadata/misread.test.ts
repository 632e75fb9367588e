import { describe, expect, it } from 'vitest';
import { checkRecord } from '../../src/metadata/check.ts';
import { misreadFindings } from '../../src/metadata/misread.ts';
import { emulate } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { run } from '../helpers/run.ts';

// Some versions of Node decode windows-1252 as Latin-1.
const MARKS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const misread = (text: string) =>
  [...Buffer.from(text)].map((byte) => MARKS[byte - 128] ?? String.fromCharCode(byte)).join('');
const misreadByMac = (text: string) => new TextDecoder('macintosh').decode(Buffer.from(text));
const found = (title: string, stored?: object) =>
  misreadFindings({ titles: [{ title }] }, stored === undefined ? undefined : { ...stored })[0];

const REAL = [
  'Straße Maß|Ä|Größe: 5 °C|ÜBERGRÖẞE|São Paulo|CORAÇÃO|Les élèves|naïve|Ångström',
  '1 – 2 — 3|It’s “fine”|price: 5 €|5 µm², 3 m³|« Été »|Żółw|Ελληνικά|Москва|東京都',
  'Tiếng Việt|العربية|עברית|x … y|Łódź, Čeština, İzmir|voilà|😀 data',
].flatMap((texts) => texts.split('|'));
const RIGHT = [
  'Ã|à|â|São Paulo|AMANHÃ…|AMANHÃ»|IRMÔ|CAFÉ…|CAFÉ™ menu|LIBERTÉ»|É… sim|Maß…',
  '« CAFÉ »|«LIBERTÉ»|V = 160Å³|5Å², 3 Å…|Tiếng Việt là Ã|GÅ– 1|BLÅ»|été…|2×½|ß²',
  '2√π|a√π b|√∞|x√2|plain|été|ÀÉÎÕÜ|¿Qué?|Ünïcödé – “ok” …|Nguyễn Văn Ã|Å¡ 東',
].flatMap((texts) => texts.split('|'));

describe('UTF-8 that was read as another encoding', () => {
  it.each(REAL)('is found for %s', (text) => {
    expect(found(misread(text))).toMatchObject({
      severity: 'error',
      suggestion: text,
      path: 'titles[0].title',
    });
    expect(found(Buffer.from(text).toString('latin1'))?.suggestion).toBe(text);
    expect(found(text)).toBeUndefined();
  });
  it.each(['Straße Maß', 'Größe', 'São Paulo', 'It’s – fine', 'Les élèves', 'Ünïcödé'])(
    'is found for %s of a Mac',
    (text) => {
      expect(found(misreadByMac(text))?.suggestion).toBe(text);
    },
  );
  it.each(RIGHT)('is not seen in %j', (text) => {
    expect(found(text)).toBeUndefined();
  });
  it('is known by the text of the record, and left alone where the record has it', () => {
    expect(found(misread('É'))).toBeDefined();
    const doubtful = misread('AMANHÅ');
    expect(found(doubtful)).toBeUndefined();
    expect(found(doubtful, { version: 'AMANHÅ' })?.suggestion).toBe('AMANHÅ');
    expect(found(misread('Maß'), { version: misread('Maß') })).toBeUndefined();
  });

  const title = misread('Straße Maß');
  const message =
    /"StraÃŸe MaÃŸ" is UTF-8 that was opened in another encoding, Windows-1252.*mean Straße Maß\?/;
  const record = { ...COMPLETE_RECORD, doi: '10.5072/misread', titles: [{ title }] };
  const csv = (delimiter: string) =>
    `doi${delimiter}titles[0].title\n10.5072/misread${delimiter}${title}\n`;

  it.each([
    ['JSON', 'record.json', JSON.stringify(record, undefined, 1)],
    [
      'NDJSON',
      'records.ndjson',
      `${JSON.stringify(record)}\n${JSON.stringify({ ...record, doi: '10.5072/b' })}\n`,
    ],
    ['CSV', 'records.csv', csv(',')],
    ['TSV', 'records.tsv', csv('\t')],
  ])('is refused by create, update and validate in %s', async (_, __, stdin) => {
    const emulator = await emulate({ records: 0 });
    const made = await emulator.run('dois create --doi 10.5072/misread --title Straße'.split(' '));
    expect(made.code, made.stderr).toBe(0);
    const before = (await emulator.log()).length;
    for (const verb of ['create', 'update'] as const) {
      const argv = ['dois', verb, '--file', '-', '--dry-run'];
      const { code, stdout, stderr } = await emulator.run(argv, { stdin });
      expect([code === 0, `${stderr}${stdout}`]).toEqual([false, expect.stringMatching(message)]);
    }
    const checked = await run(['dois', 'validate', '--file', '-'], { stdin });
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringMatching(message)]);
    const sent = (await emulator.log()).slice(before).filter(({ method }) => method !== 'GET');
    expect(sent).toEqual([]);
  });

  it('is refused in --set and in options, unless with --no-validate', async () => {
    const emulator = await emulate({ records: 0 });
    await emulator.run(['dois', 'create', '--doi', '10.5072/misread', '--title', 'Straße']);
    const set = ['dois', 'update', '10.5072/misread', '--set', `titles[0].title=${title}`];
    for (const argv of [set, ['dois', 'create', '--prefix', '10.5072', '--title', title]]) {
      const { code, stderr } = await emulator.run(argv);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    expect((await emulator.run([...set, '--no-validate'])).code).toBe(0);
    // From here on, the record has that text.
    expect((await emulator.run([...set, '--set', 'version=2'])).code).toBe(0);
  });
});

describe('a control or lost character', () => {
  it('gives a warning, for XML cannot hold it', () => {
    const description = (text: string) => ({
      descriptions: [{ description: text, descriptionType: 'Abstract' }],
    });
    const message = expect.stringMatching(/control/);
    const finding = { severity: 'warning', path: 'descriptions[0].description', message };
    for (const one of ['\x00', '\x02', '\x0b', '\x0c', '\x1f'])
      expect(checkRecord(description(`a${one}b`), 'update')).toMatchObject([finding]);
    expect(checkRecord(description('a\tb\r\n\x7f\x85'), 'update')).toEqual([]);
  });

  it.each([
    ['cut \ud83d', /half of a character/],
    ['Z\ufffdrich', /U\+FFFD, which stands for a character that was lost/],
  ])('gives a warning for %j, which has lost one', (title, message) => {
    expect(checkRecord({ titles: [{ title }] }, 'update')).toMatchObject([
      { severity: 'warning', path: 'titles[0].title', message: expect.stringMatching(message) },
    ]);
    expect(checkRecord({ titles: [{ title: 'whole \u{1f600}' }] }, 'update')).toEqual([]);
  });
});
