import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { against } from '../../helpers/against.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { idsIn } from '../../helpers/json-lines.ts';
import { run } from '../../helpers/run.ts';
import { answer } from '../../helpers/server.ts';

async function anyDoi(emulator: TestEmulator, ...filters: readonly string[]): Promise<string> {
  const { stdout } = await emulator.run(['dois', 'list', '--mine', '--limit', '1', ...filters]);
  return (JSON.parse(stdout) as { id: string }).id;
}

const GET = ['dois', 'get', '10.5072/a'];
const TERMINAL = { terminal: { stdout: true } };
/** Answers with this text. */
const text =
  (body: string, type = 'text/plain') =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': type }).end(body);
/** Answers with the record of the DOI. */
const record = (attributes: object) => answer(200, { data: { id: '10.5072/a', attributes } });

describe('dois get', () => {
  it('prints one record as it was sent, on one line or laid out', async () => {
    const { anonymous, baseUrl } = await emulate();
    const { stdout: listed } = await anonymous(['dois', 'list', '--limit', '1']);
    const { id } = JSON.parse(listed) as { id: string };
    const sent = await (
      await fetch(`${baseUrl}/dois/${id}?affiliation=true&publisher=true`)
    ).text();
    const link = `https://doi.org/${id.toUpperCase()}`;
    const one = await anonymous(['dois', 'get', link, '--format', 'ndjson']);
    expect(sent).toContain(one.stdout.trimEnd());
    expect({ data: JSON.parse(one.stdout) }).toEqual(JSON.parse(sent));
    const json = await anonymous(['dois', 'get', id]);
    expect(json.stdout.split('\n').length).toBeGreaterThan(20);
    expect({ data: JSON.parse(json.stdout) }).toEqual(JSON.parse(sent));
  });
  it('says that a DOI may be hidden from the reader, and that credentials are wrong', async () => {
    const emulator = await emulate();
    const id = await anyDoi(emulator, '--state', 'draft');
    const words = /^error: \S+ does not exist, or anonymous readers may not.*\nhint: Draft/;
    // Nobody asked for JSON, so that the error is text.
    for (const [format, options, stderr] of [
      [[], {}, words],
      [[], TERMINAL, words],
      [['--format', 'bibtex'], {}, words],
      [['--format', 'json'], {}, /or anonymous readers may not.*"hint":"Draft/],
    ] as const) {
      const hidden = await emulator.anonymous(['dois', 'get', id, ...format], options);
      expect(hidden).toMatchObject({ code: 1, stdout: '', stderr });
      const env = { DOI_CLI_PASSWORD: 'wrong' };
      const wrong = await emulator.run(['dois', 'get', id, ...format], { ...options, env });
      expect(wrong).toMatchObject({ code: 4, stderr: /did not accept/ });
    }
  });
  it('cannot be led to another address by a suffix', async () => {
    // A proxy that decodes slashes would take these for another address, so they are not even sent
    // encoded.
    for (const doi of ['10.5072/..', '10.5072/../credentials/api-keys', '10.5072/%2e%2e/../x']) {
      const refused = await against(['dois', 'get', doi], answer(404, { errors: [] }));
      expect(refused).toMatchObject({ code: 2, asked: [] });
    }
    for (const [doi, path] of [
      ['10.5072/a?b#c%2e', '/dois/10.5072%2Fa%3Fb%23c%252e'],
      ['10.5072/%2e%2e/x', '/dois/10.5072%2F%252e%252e%2Fx'],
    ] as const) {
      const { asked } = await against(['dois', 'get', doi], answer(404, { errors: [] }));
      expect(asked).toMatchObject([{ url: `${path}?affiliation=true&publisher=true` }]);
    }
  });
  it('does not take another DOI for the one asked for', async () => {
    const other = answer(200, { data: { id: '10.5072/other', type: 'dois' } });
    expect(await against(GET, other)).toMatchObject({ code: 1, stdout: '' });
  });
  it('reads records with organizations as objects', async () => {
    for (const [format, options] of [
      ['text', TERMINAL],
      ['text', {}],
      ['ndjson', {}],
    ] as const) {
      const object = record({ titles: [], publisher: { name: 'P' } });
      const { stdout, asked } = await against([...GET, '--format', format], object, options);
      expect(asked.map(({ url }) => url)).toEqual([
        '/dois/10.5072%2Fa?affiliation=true&publisher=true',
      ]);
      if (format === 'ndjson') expect(stdout).toMatch(/"publisher":\{/);
    }
  });
});

describe('dois get in other formats', () => {
  it.each([
    ['bibtex', /^@\w+\{https:\/\/doi\.org\/[\s\S]*\n\}\n$/],
    ['ris', /^TY {2}- [\s\S]*\nER {2}- \r?\n$/],
    ['citation', /https:\/\/doi\.org\/\S+\n$/],
    ['datacite-xml', /^<\?xml [\s\S]*<resource [\s\S]*<\/resource>\n$/],
  ])('prints %s, of a Draft too', async (format, stdout) => {
    const emulator = await emulate();
    for (const state of ['findable', 'draft', 'registered']) {
      const get = ['dois', 'get', await anyDoi(emulator, '--state', state), '--format', format];
      expect(await emulator.run(get)).toMatchObject({ code: 0, stdout, stderr: '' });
    }
  });
  const HTML = 'Doe, J., &amp; Roe, R. (2026). <i>Depth &lt; 5 m</i>.';
  it.each([
    ['the lines of RIS', 'ris', 'TY  - GEN\r\nER  - \r\n', 'TY  - GEN\nER  - \n'],
    ['citations', 'citation', `${HTML}\n`, 'Doe, J., & Roe, R. (2026). Depth < 5 m.\n'],
    ['no control characters', 'citation', 'a\u001b[2Jb\n', 'a\\u001b[2Jb\n'],
  ])('shows %s on a terminal as text, and elsewhere as they were sent', async (...row) => {
    const [, format, sent, shown] = row;
    const get = [...GET, '--format', format];
    expect(await against(get, text(sent))).toMatchObject({ stdout: sent });
    expect(await against(get, text(sent), TERMINAL)).toMatchObject({ stdout: shown });
  });
  it('asks by content negotiation, with a style and a language', async () => {
    const answers = ['Doe, J. (2026).', 'Another one, in APA.'].map((body) => text(body));
    const style = ['--format', 'citation', '--style', 'nature', '--locale', 'de-DE'];
    const { asked, ...result } = await against([...GET, ...style], answers);
    expect(result).toMatchObject({ code: 0, stdout: 'Doe, J. (2026).\n', stderr: '' });
    const headers = { accept: 'text/x-bibliography' };
    expect(asked).toMatchObject([
      { url: '/dois/10.5072%2Fa?style=nature&locale=de-DE', headers },
      { url: '/dois/10.5072%2Fa' },
    ]);
    expect(await run([...GET, '--style', 'apa'])).toMatchObject({
      code: 2,
      stderr: /--format citation/,
    });
  });
  it('warns of a style that gives the same as APA, which is what the service gives for an unknown one', async () => {
    const get = (...more: string[]) =>
      against([...GET, '--format', 'citation', ...more], text('Doe, J. (2026).'));
    const { code, stdout, stderr, asked } = await get('10.5072/b', '--style', 'naature');
    expect([code, stdout, asked.length]).toEqual([0, 'Doe, J. (2026).\nDoe, J. (2026).\n', 3]);
    expect(stderr).toMatch(/^warning: .* in APA: the service may not know the style 'naature'\n$/);
    const apa = await get('--style', 'apa', '--locale', 'de');
    expect([apa.code, apa.stderr, apa.asked.length]).toEqual([0, '', 1]);
  });
  it.each([
    ['datacite-json', 'application/vnd.datacite.datacite+json'],
    ['citeproc', 'application/vnd.citationstyles.csl+json'],
    ['schema-org', 'application/vnd.schemaorg.ld+json'],
    ['codemeta', 'application/vnd.codemeta.ld+json'],
    ['crosscite', 'application/vnd.crosscite.crosscite+json'],
  ])('prints %s as valid JSON, spelled as the service spells it', async (format, type) => {
    const get = [...GET, '--format', format, '--retries', '0'];
    const own = (body: string) => text(body, `${type}; charset=utf-8`);
    expect(await against(get, own('{"a":1.0,"b":"\\u00e9"}'))).toMatchObject({
      code: 0,
      stdout: '{\n  "a": 1.0,\n  "b": "\\u00e9"\n}\n',
      asked: [{ headers: { accept: type } }],
    });
    const broken = { code: 5, stdout: '', stderr: /not valid JSON/ };
    expect(await against(get, own('{"a":'))).toMatchObject(broken);
    const other = { code: 1, stdout: '', stderr: new RegExp(`does not offer ${format}`) };
    expect(await against(get, record({}))).toMatchObject(other);
  });
  it.each([
    ['jats', 'application/vnd.jats+xml', '<element-citation/>'],
    ['csv', 'text/csv', 'doi,url\n10.5072/A,https://example.org/\n'],
  ])('prints %s', async (format, type, body) => {
    expect(await against([...GET, '--format', format], text(body, type))).toMatchObject({
      code: 0,
      stdout: `${body.trimEnd()}\n`,
      asked: [{ headers: { accept: type } }],
    });
  });
  it('takes DataCite XML from the record where there is no other way', async () => {
    const get = [...GET, '--format', 'datacite-xml'];
    const none = answer(406, { errors: [{ title: 'not recognized' }] });
    const xml = Buffer.from('<resource>é</resource>').toString('base64');
    const found = await against(get, [none, record({ xml })]);
    expect(found).toMatchObject({ code: 0, stdout: '<resource>é</resource>\n' });
    const lost = await against(get, [none, record({})]);
    expect(lost).toMatchObject({ code: 1, stdout: '', stderr: /not recognized/ });
  });
  it('takes 204 for an answer: there is no metadata in this format', async () => {
    const get = [...GET, '--format', 'bibtex'];
    const none = await against(get, (response) => response.writeHead(204).end());
    expect(none).toMatchObject({ code: 1, stdout: '', asked: [{}] });
    expect(none.stderr).toMatch(/^error: the service has no metadata of 10.5072\/a as bibtex$/m);
  });
  it.each([
    [{ data: {} }, 1, /does not offer ris/],
    ['<html>', 5, /web page/],
  ])('does not take %j for an answer', async (body, code, stderr) => {
    const get = [...GET, '--format', 'ris'];
    expect(await against(get, answer(200, body))).toMatchObject({ code, stdout: '', stderr });
  });
});

describe('dois get of several DOIs', () => {
  const three = async (emulator: TestEmulator) => {
    const { stdout } = await emulator.run(['dois', 'list', '--state', 'findable', '--limit', '3']);
    return idsIn(stdout);
  };

  it('prints them in their order, as lines, one array, or one file', async () => {
    const emulator = await emulate({ latencyMs: 5 });
    const dois = await three(emulator);
    const get = async (...more: string[]) =>
      (await emulator.run(['dois', 'get', ...dois, ...more])).stdout;
    const idsIn = (records: readonly { id: string }[]) => records.map(({ id }) => id);
    const lines = (await get()).trim().split('\n');
    expect(idsIn(lines.map((line) => JSON.parse(line)))).toEqual(dois);
    expect(idsIn(JSON.parse(await get('--format', 'json')))).toEqual(dois);
    expect(JSON.parse(await get('--format', 'citeproc'))).toHaveLength(3);
    expect((await get('--format', 'bibtex')).match(/^@/gm)).toHaveLength(3);
    expect((await get('--format', 'ris')).match(/^ER/gm)).toHaveLength(3);
    expect((await get('--format', 'citation')).trim().split('\n')).toHaveLength(3);
    const urls = await emulator.anonymous(['dois', 'get', ...dois, '--format', 'url']);
    expect(urls.stdout.match(/^https?:/gm)).toHaveLength(3);
    const stdin = `${dois.join('\n')}\n${dois[0]?.toUpperCase()}\n`;
    const read = await emulator.run(['dois', 'get', '--file', '-'], { stdin });
    expect(read.stdout.trim().split('\n')).toEqual(lines);
  });

  it('tells DOIs without an address from those that are not found', async () => {
    const { run } = await emulate({ records: 0 });
    for (const doi of ['10.5072/a', '10.5072/b']) await run(['dois', 'create', '--doi', doi]);
    const argv = ['dois', 'get', '10.5072/a', '10.5072/b', '10.5072/c', '--format', 'url'];
    expect((await run(argv)).stderr).toBe(
      'error: 1 of 3 DOIs were not found: 10.5072/c;' +
        ' 2 of 3 DOIs have no address: 10.5072/a, 10.5072/b\n',
    );
  });

  it('names those that are not found, and prints the others', async () => {
    const emulator = await emulate();
    const [first = '', second = ''] = await three(emulator);
    const argv = ['dois', 'get', first, '10.5072/none', second, '--format', 'json'];
    const { code, stdout, stderr } = await emulator.run(argv);
    expect(JSON.parse(stdout)).toMatchObject([{ id: first }, { id: second }]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 of 3 DOIs were not found: 10.5072/none'),
    ]);
    const none = await emulator.run('dois get 10.5072/none 10.5072/no --format json'.split(' '));
    expect([none.code, JSON.parse(none.stdout)]).toEqual([1, []]);
  });

  it('ends at an error of the service, without the end of the array', async () => {
    const answers = [record({}), (response: ServerResponse) => response.writeHead(400).end()];
    const { code, stdout } = await against([...GET, '10.5072/b', '--format', 'json'], answers);
    expect(code).not.toBe(0);
    expect(() => JSON.parse(stdout)).toThrow();
  });

  it.each([
    [['10.5072/b', '--format', 'datacite-xml'], /a file of datacite-xml holds one record/],
    [['10.5072/b', '--web'], /--web opens one page/],
    [['--file', 'x'], /exclude each other/],
  ])('refuses %s', async (words, stderr) => {
    expect(await run([...GET, ...words])).toMatchObject({ code: 2, stderr });
  });
});
