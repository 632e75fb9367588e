import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';

async function anyDoi(
  emulator: Awaited<ReturnType<typeof emulate>>,
  ...filters: readonly string[]
) {
  const { stdout } = await emulator.run(['dois', 'list', '--mine', '--limit', '1', ...filters]);
  return JSON.parse(stdout) as { id: string; attributes: { titles: { title: string }[] } };
}

describe('dois get in other formats', () => {
  it.each([
    ['bibtex', /^@\w+\{https:\/\/doi\.org\/[\s\S]*\n\}\n$/],
    ['ris', /^TY {2}- [\s\S]*\nER {2}- \r?\n$/],
    ['citation', /https:\/\/doi\.org\/\S+\n$/],
    ['datacite-xml', /^<\?xml [\s\S]*<resource [\s\S]*<\/resource>\n$/],
  ])('prints %s, of a Draft too', async (format, text) => {
    const emulator = await emulate();
    for (const state of ['findable', 'draft', 'registered']) {
      const { id } = await anyDoi(emulator, '--state', state);
      expect(await emulator.run(['dois', 'get', id, '--format', format])).toMatchObject({
        code: 0,
        stdout: text,
        stderr: '',
      });
    }
  });
  it('shows the lines of RIS on a terminal as lines', async () => {
    const { url } = await serve((response) => response.end('TY  - GEN\r\nER  - \r\n'));
    const env = { DOI_CLI_BASE_URL: url.href };
    const ris = ['dois', 'get', '10.5072/a', '--format', 'ris'];
    expect(await run(ris, { env })).toMatchObject({ stdout: 'TY  - GEN\r\nER  - \r\n' });
    expect(await run(ris, { env, terminal: { stdout: true } })).toMatchObject({
      stdout: 'TY  - GEN\nER  - \n',
    });
  });
  it('asks by content negotiation, with a style and a language', async () => {
    const { url, asked } = await serve(
      (response) => response.end('Doe, J. (2026).'),
      (response) => response.end('Another one, in APA.'),
    );
    const env = { DOI_CLI_BASE_URL: url.href };
    const argv = 'dois get 10.5072/a --format citation --style nature --locale de-DE'.split(' ');
    expect(await run(argv, { env })).toMatchObject({
      code: 0,
      stdout: 'Doe, J. (2026).\n',
      stderr: '',
    });
    expect(asked).toMatchObject([
      {
        url: '/dois/10.5072%2Fa?style=nature&locale=de-DE',
        headers: { accept: 'text/x-bibliography' },
      },
      { url: '/dois/10.5072%2Fa' },
    ]);
    expect(await run(['dois', 'get', '10.5072/a', '--style', 'apa'], { env })).toMatchObject({
      code: 2,
      stderr: /--format citation/,
    });
    expect(asked).toHaveLength(2);
  });
  it('shows citations on a terminal as text, and elsewhere as they were sent', async () => {
    const html = 'Doe, J., &amp; Roe, R. (2026). <i>Depth &lt; 5 m</i>.';
    const { url } = await serve((response) => response.end(html));
    const env = { DOI_CLI_BASE_URL: url.href };
    const citation = ['dois', 'get', '10.5072/a', '--format', 'citation'];
    expect(await run(citation, { env })).toMatchObject({ stdout: `${html}\n` });
    expect(await run(citation, { env, terminal: { stdout: true } })).toMatchObject({
      stdout: 'Doe, J., & Roe, R. (2026). Depth < 5 m.\n',
    });
  });
  it('warns of a style that gives the same as APA, which is what the service gives for an unknown one', async () => {
    const { url, asked } = await serve((response) => response.end('Doe, J. (2026).'));
    const env = { DOI_CLI_BASE_URL: url.href };
    const get = (...more: string[]) =>
      run(['dois', 'get', '--format', 'citation', ...more], { env });
    const two = ['10.5072/a', '10.5072/b'];
    const { code, stdout, stderr } = await get(...two, '--style', 'naature');
    expect([code, stdout]).toEqual([0, 'Doe, J. (2026).\nDoe, J. (2026).\n']);
    expect(stderr).toMatch(/^warning: .* in APA: the service may not know the style 'naature'\n$/);
    expect(await get('10.5072/a', '--style', 'apa', '--locale', 'de')).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(asked).toHaveLength(4);
  });
  it.each([
    ['datacite-json', 'application/vnd.datacite.datacite+json'],
    ['citeproc', 'application/vnd.citationstyles.csl+json'],
    ['schema-org', 'application/vnd.schemaorg.ld+json'],
    ['codemeta', 'application/vnd.codemeta.ld+json'],
    ['crosscite', 'application/vnd.crosscite.crosscite+json'],
  ])('prints %s as valid JSON, spelled as the service spells it', async (format, type) => {
    const own = (body: string) => (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    const { url, asked } = await serve(own('{"a":1.0,"b":"\\u00e9"}'), own('{"a":'));
    const env = { DOI_CLI_BASE_URL: url.href };
    const get = ['dois', 'get', '10.5072/a', '--format', format, '--retries', '0'];
    expect(await run(get, { env })).toMatchObject({
      code: 0,
      stdout: '{\n  "a": 1.0,\n  "b": "\\u00e9"\n}\n',
    });
    expect(asked).toMatchObject([{ headers: { accept: type } }]);
    expect(await run(get, { env })).toMatchObject({
      code: 5,
      stdout: '',
      stderr: /not valid JSON/,
    });
    const other = await serve(answer(200, { data: { id: '10.5072/a', attributes: {} } }));
    expect(await run(get, { env: { DOI_CLI_BASE_URL: other.url.href } })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: new RegExp(`does not offer ${format}`),
    });
  });
  it.each([
    ['jats', 'application/vnd.jats+xml', '<element-citation/>'],
    ['csv', 'text/csv', 'doi,url\n10.5072/A,https://example.org/\n'],
  ])('prints %s', async (format, type, body) => {
    const { url, asked } = await serve((response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    const get = ['dois', 'get', '10.5072/a', '--format', format];
    expect(await run(get, { env: { DOI_CLI_BASE_URL: url.href } })).toMatchObject({
      code: 0,
      stdout: `${body.trimEnd()}\n`,
    });
    expect(asked).toMatchObject([{ headers: { accept: type } }]);
  });
  it('reads records with organizations as objects', async () => {
    const record = answer(200, {
      data: { id: '10.5072/a', attributes: { titles: [], publisher: { name: 'P' } } },
    });
    const { url, asked } = await serve(record);
    const printed = async (terminal: boolean, ...more: string[]) => {
      const argv = ['dois', 'get', '10.5072/a', ...more];
      const { code, stdout } = await run(argv, {
        env: { DOI_CLI_BASE_URL: url.href },
        terminal: { stdout: terminal },
      });
      expect(code).toBe(0);
      return stdout;
    };
    for (const terminal of [false, true]) await printed(terminal, '--format', 'text');
    expect(await printed(false, '--format', 'ndjson')).toMatch(/"publisher":\{/);
    expect(new Set(asked.map((one) => one.url))).toEqual(
      new Set(['/dois/10.5072%2Fa?affiliation=true&publisher=true']),
    );
  });
  it('takes DataCite XML from the record where there is no other way', async () => {
    const xml = '<resource>é</resource>';
    const record = answer(200, {
      data: { id: '10.5072/a', attributes: { xml: Buffer.from(xml).toString('base64') } },
    });
    const { url } = await serve(answer(406, { errors: [{ title: 'not recognized' }] }), record);
    const env = { DOI_CLI_BASE_URL: url.href };
    expect(
      await run(['dois', 'get', '10.5072/a', '--format', 'datacite-xml'], { env }),
    ).toMatchObject({
      code: 0,
      stdout: `${xml}\n`,
    });
    const without = await serve(
      answer(406, { errors: [{ title: 'not recognized' }] }),
      answer(200, { data: { id: '10.5072/a', attributes: {} } }),
    );
    expect(
      await run(['dois', 'get', '10.5072/a', '--format', 'datacite-xml'], {
        env: { DOI_CLI_BASE_URL: without.url.href },
      }),
    ).toMatchObject({ code: 1, stdout: '', stderr: /not recognized/ });
  });
  it('takes 204 for an answer: there is no metadata in this format', async () => {
    const { url, asked } = await serve((response) => response.writeHead(204).end());
    const env = { DOI_CLI_BASE_URL: url.href };
    expect(await run(['dois', 'get', '10.5072/a', '--format', 'bibtex'], { env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: /^error: the service has no metadata of 10.5072\/a as bibtex$/m,
    });
    expect(asked).toHaveLength(1);
  });
  it('does not take JSON, a web page or nothing for an answer', async () => {
    for (const [body, code, message] of [
      [{ data: {} }, 1, /does not offer ris/],
      ['<html>', 5, /web page/],
    ] as const) {
      const { url } = await serve(answer(200, body));
      expect(
        await run(['dois', 'get', '10.5072/a', '--format', 'ris'], {
          env: { DOI_CLI_BASE_URL: url.href },
        }),
      ).toMatchObject({ code, stdout: '', stderr: message });
    }
  });
  it('says that a DOI may be hidden from the reader, and that credentials are wrong', async () => {
    const emulator = await emulate();
    const { id } = await anyDoi(emulator, '--state', 'draft');
    expect(await emulator.anonymous(['dois', 'get', id, '--format', 'bibtex'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: /anonymous readers may not read it\nhint: Draft/,
    });
    expect(
      await emulator.run(['dois', 'get', id, '--format', 'bibtex'], {
        env: { DOI_CLI_PASSWORD: 'wrong' },
      }),
    ).toMatchObject({ code: 4 });
  });
  it('shows a terminal no control characters', async () => {
    const { url } = await serve((response) => response.end('a\u001b[2Jb'));
    const argv = ['dois', 'get', '10.5072/a', '--format', 'citation'];
    const { stdout } = await run(argv, {
      env: { DOI_CLI_BASE_URL: url.href },
      terminal: { stdout: true },
    });
    expect(stdout).toBe('a\\u001b[2Jb\n');
  });
});

describe('dois get of several DOIs', () => {
  const three = async (emulator: Awaited<ReturnType<typeof emulate>>) => {
    const { stdout } = await emulator.run(['dois', 'list', '--state', 'findable', '--limit', '3']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
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
    const { url } = await serve(
      answer(200, { data: { id: '10.5072/a', type: 'dois' } }),
      (response) => response.writeHead(400).end(),
    );
    const argv = ['dois', 'get', '10.5072/a', '10.5072/b', '--format', 'json'];
    const { code, stdout } = await run(argv, { env: { DOI_CLI_BASE_URL: url.href } });
    expect(code).not.toBe(0);
    expect(() => JSON.parse(stdout)).toThrow();
  });

  it.each([
    [['a', 'b', '--format', 'datacite-xml'], /a file of datacite-xml holds one record/],
    [['a', 'b', '--web'], /--web opens one page/],
    [['a', '--file', 'x'], /exclude each other/],
    [[], /name a DOI/],
  ])('refuses %s', async (words, message) => {
    const argv = [
      'dois',
      'get',
      ...words.map((word) => (/^[ab]$/.test(word) ? `10.5072/${word}` : word)),
    ];
    expect(await run(argv)).toMatchObject({ code: 2, stderr: message });
  });
});
