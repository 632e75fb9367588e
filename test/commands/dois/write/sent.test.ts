import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { type RunOptions, run } from '../../../helpers/run.ts';
import { type Answer, answer, serve } from '../../../helpers/server.ts';

const KERNEL_4 = 'http://datacite.org/schema/kernel-4';
const WHOLE = { doi: '10.5072/a', ...COMPLETE_RECORD };
const DOCUMENT = readFileSync('test/fixtures/xml/repository.xml', 'utf8');
const XML = Buffer.from(DOCUMENT).toString('base64');
const IDENTIFIERS = [{ identifier: '1', identifierType: 'Local' }];
const ALTERNATE = [{ alternateIdentifierType: 'Local', alternateIdentifier: '1' }];
/** A record as the service shows it. */
const STORED = {
  ...WHOLE,
  publisher: { name: 'Demo' },
  xml: XML,
  identifiers: IDENTIFIERS,
  alternateIdentifiers: ALTERNATE,
  contributors: [{ name: 'C', contributorType: 'Editor' }],
  schemaVersion: KERNEL_4,
  state: 'findable',
  created: '2020-01-01T00:00:00Z',
  updated: '2020-01-01T00:00:00Z',
  metadataVersion: 1,
};
const record = (attributes: object): Answer =>
  answer(
    200,
    { data: { id: '10.5072/a', type: 'dois', attributes } },
    { 'x-credential-username': 'demo.repo' },
  );

/**
 * Runs a command line against a service that holds a record; returns the attributes of what was
 * written.
 */
async function against(stored: object, argv: readonly string[], options: RunOptions = {}) {
  let held = stored;
  const { url, asked } = await serve((response, exchange) => {
    const { data } = (exchange.body === '' ? {} : JSON.parse(exchange.body)) as {
      data?: { attributes: { event?: string } };
    };
    const { event, ...written } = data?.attributes ?? {};
    const state = { publish: 'findable', show: 'findable', hide: 'registered' }[String(event)];
    held = { ...held, ...written, ...(state === undefined ? {} : { state }) };
    record(held)(response, exchange);
  });
  const result = await run(argv, {
    ...options,
    env: { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'a-key-of-a-test' },
  });
  const written = asked
    .filter(({ body }) => body !== '')
    .map(
      ({ body }) =>
        (JSON.parse(body) as { data: { attributes: Record<string, unknown> } }).data.attributes,
    );
  return {
    ...result,
    written,
    bodies: asked.map(({ body }) => body).filter((body) => body !== ''),
  };
}
const update = (sent: object, stored: object = STORED, ...more: readonly string[]) =>
  against(stored, ['dois', 'update', '10.5072/a', '--file', '-', ...more], {
    stdin: JSON.stringify(sent),
  });
const create = (sent: object, ...more: readonly string[]) =>
  against({ ...WHOLE, state: 'draft' }, ['dois', 'create', '--file', '-', ...more], {
    stdin: JSON.stringify(sent),
  });

describe('a create', () => {
  it('names a version of the schema, so that the service names what it refuses (service.md, S6)', async () => {
    expect((await create(WHOLE)).written).toEqual([{ ...WHOLE, schemaVersion: KERNEL_4 }]);
    // XML names its own version; with another one the service would make the XML anew.
    expect((await create({ ...WHOLE, xml: XML })).written[0]).not.toHaveProperty('schemaVersion');
    const own = { ...WHOLE, schemaVersion: `${KERNEL_4}.2` };
    expect((await create(own)).written).toEqual([own]);
  });
  it('sends what is kept, in the spelling of the file, and says so (service.md, S5)', async () => {
    const text = `{"doi":"10.5072/a", "n1":1.0,
  "creators": {"name":"A","affiliation": "CERN" },
  "contributors":[{"name":"caf\\u00e9","contributorType":"Editor","affiliation":["A", {"name":"B"}],"nameIdentifiers":{"nameIdentifier":"x","nameIdentifierScheme":"Y"}}],
  "titles":[{"title":"\\u00e9"}],"sizes":"1 kB"}`;
    const argv = ['dois', 'create', '--file', '-'];
    const { bodies, stderr, code } = await against({ state: 'draft' }, argv, { stdin: text });
    const sent =
      `{"schemaVersion":"${KERNEL_4}","doi":"10.5072/a","n1":1.0,` +
      '"creators":[{"name":"A","affiliation":[{"name":"CERN"}]}],' +
      '"contributors":[{"name":"café","contributorType":"Editor","affiliation":[{"name":"A"},{"name":"B"}],' +
      '"nameIdentifiers":[{"nameIdentifier":"x","nameIdentifierScheme":"Y"}]}],' +
      '"titles":[{"title":"\\u00e9"}],"sizes":["1 kB"]}';
    expect([code, bodies]).toEqual([0, [`{"data":{"type":"dois","attributes":${sent}}}`]]);
    expect(stderr).toContain(
      'stdin:2: warning: creators: is one object where a list belongs; sent as a list',
    );
    expect(stderr).toContain('"CERN" is text, which the service would drop; sent as {"name": …}');
    expect(stderr).toContain(
      'stdin:1: warning: the service would drop this: n1: is not a property',
    );
  });
  it('says the same of many items once, and every error', async () => {
    const creators = Array.from({ length: 5 }, (_, at) => ({
      name: 'A',
      affiliation: [`B${at}`],
      n1: 1,
    }));
    const warned = (stderr: string) =>
      stderr.match(/is text, which the service would drop/g)?.length;
    const many = await create({ ...WHOLE, creators });
    expect(warned(many.stderr)).toBe(1);
    expect(many.stderr).toContain('creators[0].affiliation[0]: "B0" is text');
    expect(many.stderr.match(/ \(and 4 more like it\)$/gm)).toHaveLength(2);
    const contributors = creators.map(() => ({ name: 'A', contributorType: 'x' }));
    const wrong = await create({ ...WHOLE, contributors });
    expect(
      wrong.stderr.match(/error: contributors\[\d\]\.contributorType: "x" is not/g),
    ).toHaveLength(5);
  });
  it('shows with --dry-run what the service would hold', async () => {
    const sent = {
      ...WHOLE,
      language: 'English',
      nonsuch: 1,
      creators: [{ name: 'A', affiliation: ['B'] }],
    };
    const argv = ['dois', 'create', '--file', '-', '--dry-run'];
    const { stdout } = await run(argv, { stdin: JSON.stringify(sent) });
    expect(JSON.parse(stdout).data.attributes).toEqual({
      ...WHOLE,
      language: 'en',
      creators: [{ name: 'A', affiliation: [{ name: 'B' }] }],
      schemaVersion: KERNEL_4,
    });
  });
  it('takes a prefix alone for --doi', async () => {
    for (const typed of ['10.5072', '10.5072 ']) {
      const { stdout, code } = await create({}, '--dry-run').then(() =>
        run(['dois', 'create', '--doi', typed, '--title', 'T', '--dry-run']),
      );
      expect([code, JSON.parse(stdout).data.attributes]).toMatchObject([0, { prefix: '10.5072' }]);
    }
    const both = await run('dois create --doi 10.5072 --prefix 10.5072 --dry-run'.split(' '));
    expect(both).toMatchObject({ code: 2, stderr: /cannot be used with/ });
    expect(await run(['dois', 'create', '--doi', 'abc', '--dry-run'])).toMatchObject({
      code: 2,
      stderr: /'abc' is not a DOI/,
    });
  });
  it('of a DOI that the service does not create sends nothing (service.md, W10)', async () => {
    for (const doi of ['10.5072/a+b', '10.123456/a']) {
      expect(await create({ ...WHOLE, doi })).toMatchObject({
        code: 2,
        written: [],
        stderr: /cannot be created/,
      });
    }
  });
  it('refuses show, which a new record cannot have', async () => {
    const said = { code: 2, written: [], stderr: /the event show is for a Registered record/ };
    expect(await create({ ...WHOLE, event: 'show' })).toMatchObject(said);
    const many = await against(
      {},
      ['dois', 'create', '--file', '-', '--ledger', '/nonexistent/x', '--dry-run'],
      { stdin: `${JSON.stringify({ ...WHOLE, event: 'show' })}\n` },
    );
    expect(many).toMatchObject(said);
  });
});

describe('an update with a record that was read', () => {
  it('leaves its xml away, so that a null takes effect (service.md, W16)', async () => {
    const { written, stderr } = await update({ ...STORED, contributors: null });
    expect(written).toEqual([{ doi: STORED.doi, contributors: null }]);
    expect(stderr).toBe('');
    // The xml of a user stays.
    const xml = Buffer.from(DOCUMENT.replace('1.1', '2')).toString('base64');
    expect((await update({ xml })).written).toEqual([{ xml }]);
    const own = { xml, titles: [{ title: 'T' }], sizes: null };
    const kept = await update(own);
    expect(kept.written).toEqual([{ xml, titles: [{ title: 'T' }] }]);
    expect(kept.stderr).toMatch(
      /warning: sizes: null removes nothing, because the xml next to it wins/,
    );
  });
  it('says that an edited xml is not sent', async () => {
    const { written, stderr } = await update({ ...STORED, xml: `${XML}aaaa` });
    expect(written).toEqual([]);
    expect(stderr).toMatch(/^stdin:1: warning: xml: differs from the stored XML and is not sent/);
  });
  it.each([
    ['first', '{"xml":"X", "titles":[{"title":"T"}], "updated":"2020"}'],
    ['last', '{"titles":[{"title":"T"}], "updated":"2020", "xml":"X"}'],
    ['in the middle', '{"titles":[{"title":"T"}] ,"xml" : "X" , "updated":"2020"}'],
  ])('leaves xml away that is %s', async (_, text) => {
    const argv = ['dois', 'update', '10.5072/a', '--file', '-'];
    const { written } = await against(STORED, argv, { stdin: text.replace('X', XML) });
    expect(written).toEqual([{ titles: [{ title: 'T' }] }]);
  });
  it('keeps both lists of identifiers alike (service.md, S8)', async () => {
    const more = [...ALTERNATE, { alternateIdentifierType: 'ARK', alternateIdentifier: '2' }];
    const expected = [...IDENTIFIERS, { identifier: '2', identifierType: 'ARK' }];
    const edited = await update({ ...STORED, alternateIdentifiers: more });
    expect(edited.written).toEqual([{ doi: STORED.doi, alternateIdentifiers: more }]);
    expect(edited.stderr).toBe('');
    const preview = await update({ ...STORED, alternateIdentifiers: more }, STORED, '--dry-run');
    expect(preview.stdout).toContain('+ identifiers[1]');
    expect(preview.stdout).toContain('+ alternateIdentifiers[1]');
    const other = await update({ ...STORED, identifiers: expected }, STORED, '--dry-run');
    expect(other.stdout.split('\n').sort()).toEqual(preview.stdout.split('\n').sort());
    const gone = await update({ ...STORED, alternateIdentifiers: null });
    expect(gone.written).toEqual([{ doi: STORED.doi, alternateIdentifiers: null }]);
    const both = await update({ ...STORED, identifiers: expected, alternateIdentifiers: [] });
    expect(both.stderr).toMatch(
      /^stdin:1: warning: the service would drop this: alternateIdentifiers: differs from identifiers, which wins$/m,
    );
  });
  it('shows with --dry-run what is dropped, corrected and respelled as it will be', async () => {
    const { stdout } = await update(
      { language: 'German', nonsuch: 1, sizes: '1 kB' },
      STORED,
      ...'--dry-run --no-validate'.split(' '),
    );
    expect(stdout).toBe(
      '+ language: "de"\n+ sizes[0]: "1 kB"\n'.replace('sizes[0]: "1 kB"', 'sizes: ["1 kB"]'),
    );
  });
  it('takes a publisher away where it says null (service.md, W18)', async () => {
    const draft = { ...STORED, state: 'draft' };
    const { written, stderr } = await update({ publisher: null, sizes: null }, draft);
    expect(written).toEqual([{ publisher: { name: null } }]);
    expect(stderr).toMatch(
      /^stdin:1: warning: publisher: null would have no effect; sent as {"name":null}$/m,
    );
    const preview = await update({ publisher: null }, draft, '--dry-run');
    expect(preview.stdout).toBe('- publisher.name: "Demo"\n');
    expect((await update({ publisher: null }, { ...draft, publisher: null })).written).toEqual([]);
  });
});

describe('a record of a schema that the service no longer supports (service.md, S6)', () => {
  const old = { ...STORED, schemaVersion: 'http://datacite.org/schema/kernel-3' };
  const said =
    /schemaVersion: is http:.*kernel-3, which .*did you mean http:\/\/datacite\.org\/schema\/kernel-4/;
  it('is not updated before it names another', async () => {
    expect(await update({ version: '2' }, old)).toMatchObject({
      code: 2,
      written: [],
      stderr: said,
    });
    expect(await update(old, old)).toMatchObject({ code: 2, written: [] });
    const sent = { version: '2', schemaVersion: KERNEL_4 };
    expect((await update(sent, old)).written).toEqual([sent]);
    expect((await update({ xml: XML }, old)).written).toEqual([{ xml: XML }]);
    const draft = await update({ version: '2' }, { ...old, state: 'draft' });
    expect(draft.written).toEqual([{ version: '2' }]);
  });
  it('does not change its state either, and the hint is the command that helps', async () => {
    const hidden = await against(old, ['dois', 'hide', '10.5072/a']);
    expect(hidden).toMatchObject({ code: 2, written: [], stderr: said });
    expect(hidden.stderr).toContain(
      'hint: doi-cli dois update 10.5072/a --set schemaVersion=http://datacite.org/schema/kernel-4\n',
    );
  });
});

describe('what the service writes on request (service.md, W15)', () => {
  it.each([
    ['reason=withdrawn', { reason: 'withdrawn' }],
    ['source=us', { source: 'us' }],
    ['container={"title":"S"}', { container: { title: 'S' } }],
    ['landingPage={"status":200}', { landingPage: { status: 200 } }],
  ])('--set %s is sent', async (assignment, sent) => {
    const argv = ['dois', 'update', '10.5072/a', '--set', assignment];
    expect(await against(STORED, argv)).toMatchObject({ code: 0, written: [sent] });
    expect((await against(STORED, [...argv, '--dry-run'])).stdout).not.toBe('');
  });
  it('a reason goes with hide, and to a record that is hidden already', async () => {
    const hide = ['dois', 'hide', '10.5072/a', '--reason', 'withdrawn'];
    expect((await against(STORED, hide)).written).toEqual([{ event: 'hide', reason: 'withdrawn' }]);
    const hidden = { ...STORED, state: 'registered' };
    expect((await against(hidden, hide)).written).toEqual([{ reason: 'withdrawn' }]);
    const long = await against(STORED, [...hide.slice(0, -1), 'x'.repeat(256)]);
    expect(long).toMatchObject({ code: 2, written: [], stderr: /at most 255 characters/ });
    const known = await against({ ...hidden, reason: 'withdrawn' }, hide);
    expect(known).toMatchObject({ code: 0, written: [], stderr: /already; nothing was sent/ });
  });
});

describe('the event show (service.md, W3)', () => {
  it('makes a Registered record Findable again', async () => {
    const { run: demo } = await emulate({ records: 0 });
    const file = { stdin: JSON.stringify({ ...WHOLE, event: 'publish' }) };
    expect(await demo(['dois', 'create', '--file', '-'], file)).toMatchObject({ code: 0 });
    expect(await demo(['dois', 'hide', '10.5072/a'])).toMatchObject({ code: 0 });
    const shown = await demo(['dois', 'update', '10.5072/a', '--event', 'show']);
    expect([shown.code, JSON.parse(shown.stdout).attributes.state]).toEqual([0, 'findable']);
    await demo(['dois', 'hide', '10.5072/a']);
    const own = await demo(['dois', 'update', '10.5072/a', '--file', '-'], {
      stdin: '{"event":"show"}',
    });
    expect([own.code, JSON.parse(own.stdout).attributes.state]).toEqual([0, 'findable']);
  });
  it('is refused for a Draft, which the service would leave as it is', async () => {
    const draft = { ...STORED, state: 'draft' };
    expect(await against(draft, ['dois', 'update', '10.5072/a', '--event', 'show'])).toMatchObject({
      code: 1,
      written: [],
      stderr: /10\.5072\/a is a Draft.*\nhint: .*doi-cli dois publish 10\.5072\/a/,
    });
  });
});

describe('many records', () => {
  const WRONG = {
    nameIdentifier: 'https://orcid.org/0000-0002-1825-0098',
    nameIdentifierScheme: 'ORCID',
  };
  it.each<[string, object, RegExp]>([
    [
      'an ORCID iD',
      { creators: [{ name: 'A', nameIdentifiers: [WRONG] }] },
      /nameIdentifiers\[0\].*one of them is wrong/,
    ],
    ['a language', { language: 'xx' }, /language: "?xx/],
    ['a date', { dates: [{ date: 'spring', dateType: 'Issued' }] }, /dates\[0\].date/],
  ])('warn about %s as one record does', async (_, wrong, message) => {
    const { run: demo } = await emulate({ records: 0 });
    const dois = ['10.5072/one', '10.5072/two'];
    const made = dois.map((doi) => JSON.stringify({ ...WHOLE, doi, ...wrong })).join('\n');
    const edits = dois.map((doi) => JSON.stringify({ doi, version: '2', ...wrong })).join('\n');
    const again = dois.map((doi) => JSON.stringify({ doi, ...wrong })).join('\n');
    for (const [verb, stdin] of [
      ['create', made],
      ['update', edits],
    ] as const) {
      const argv = ['dois', verb, '--file', '-'];
      const dryRun = () => demo([...argv, '--format', 'text', '--dry-run'], { stdin });
      const before = verb === 'create' ? await dryRun() : undefined;
      const { code, stdout, stderr } = await demo(argv, { stdin });
      const told = stdout.match(/"(warnings|dropped)":\[\{"path":/g);
      expect([code, told?.length, stderr]).toEqual([0, 2, expect.stringMatching(message)]);
      expect(stderr).toMatch(/^stdin:2: warning: /m);
      const text = before ?? (await dryRun());
      expect(text.stdout + text.stderr).toMatch(
        verb === 'create' ? message : /^2 records: 2 unchanged/m,
      );
    }
    const more = edits.replaceAll('"version":"2"', '"version":"3"');
    const diff = await demo(['dois', 'update', '--file', '-', '--format', 'text', '--dry-run'], {
      stdin: more,
    });
    expect(diff.stdout).toMatch(
      new RegExp(` version +2 +3\\n(?:.*\\n)+LINE +DOI +WARNING\\n1 .*${message.source}`),
    );
    const same = await demo(['dois', 'update', '--file', '-'], { stdin: again });
    expect([same.stdout.match(/unchanged/g)?.length, same.stdout.includes('"warnings"')]).toEqual([
      2,
      false,
    ]);
  });
  it('name what was dropped, and send the version of the schema', async () => {
    const { run: demo } = await emulate({ records: 0 });
    const lines = [
      { ...WHOLE, doi: '10.5072/one', nonsuch: 1, creators: [{ name: 'A', affiliation: ['B'] }] },
      { ...WHOLE, doi: '10.5072/two' },
    ];
    const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { code, stdout } = await demo(['dois', 'create', '--file', '-'], { stdin });
    const [one, two] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(code).toBe(0);
    expect(one).toMatchObject({ outcome: 'created', dropped: [{ path: 'nonsuch' }] });
    expect(two).not.toHaveProperty('dropped');
    const got = await demo(['dois', 'get', '10.5072/one']);
    expect(JSON.parse(got.stdout).attributes).toMatchObject({
      schemaVersion: KERNEL_4,
      creators: [{ affiliation: [{ name: 'B' }] }],
    });
  });
});
