import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { run as runBare } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';

const RECORD = { prefix: '10.5072', ...COMPLETE_RECORD };

describe('dois get', () => {
  it('prints one record as it was sent, on one line or laid out', async () => {
    const { anonymous, baseUrl } = await emulate();
    const { stdout: listed } = await anonymous(['dois', 'list', '--limit', '1']);
    const { id } = JSON.parse(listed) as { id: string };
    const sent = await (
      await fetch(`${baseUrl}/dois/${id}?affiliation=true&publisher=true`)
    ).text();
    const one = await anonymous([
      'dois',
      'get',
      `https://doi.org/${id.toUpperCase()}`,
      '--format',
      'ndjson',
    ]);
    expect(sent).toContain(one.stdout.trimEnd());
    expect({ data: JSON.parse(one.stdout) }).toEqual(JSON.parse(sent));
    const json = await anonymous(['dois', 'get', id]);
    expect(json.stdout.split('\n').length).toBeGreaterThan(20);
    expect({ data: JSON.parse(json.stdout) }).toEqual(JSON.parse(sent));
  });
  it('says that a DOI may be hidden from the reader', async () => {
    const { run, anonymous } = await emulate();
    const { stdout } = await run(['dois', 'list', '--mine', '--state', 'draft', '--limit', '1']);
    const { id } = JSON.parse(stdout) as { id: string };
    expect(await run(['dois', 'get', id])).toMatchObject({ code: 0 });
    // Nobody asked for JSON, so that the error is text.
    const words = /^error: \S+ does not exist, or anonymous readers may not.*\nhint: Draft/;
    expect(await anonymous(['dois', 'get', id])).toMatchObject({ code: 1, stderr: words });
    expect(await anonymous(['dois', 'get', id], { terminal: { stdout: true } })).toMatchObject({
      code: 1,
      stderr: words,
    });
    expect(await anonymous(['dois', 'get', id, '--format', 'json'])).toMatchObject({
      code: 1,
      stderr: /does not exist, or anonymous readers may not.*"hint":"Draft/,
    });
    expect(await run(['dois', 'get', '10.5072/no-such'])).toMatchObject({ code: 1, stdout: '' });
  });
  it('cannot be led to another address by a suffix', async () => {
    const { url, asked } = await serve(answer(404, { errors: [] }));
    const env = { DOI_CLI_BASE_URL: url.href };
    // A proxy that decodes slashes would take these for another address, so they are not even sent
    // encoded.
    for (const doi of ['10.5072/..', '10.5072/../credentials/api-keys', '10.5072/%2e%2e/../x']) {
      expect(await runBare(['dois', 'get', doi], { env })).toMatchObject({ code: 2 });
    }
    expect(asked).toEqual([]);
    for (const doi of ['10.5072/a?b#c%2e', '10.5072/%2e%2e/x'])
      await runBare(['dois', 'get', doi], { env });
    expect(asked.map(({ url }) => url)).toEqual([
      '/dois/10.5072%2Fa%3Fb%23c%252e?affiliation=true&publisher=true',
      '/dois/10.5072%2F%252e%252e%2Fx?affiliation=true&publisher=true',
    ]);
  });
  it('says that a password is wrong, not that a DOI is missing', async () => {
    const { run } = await emulate();
    const env = { DOI_CLI_PASSWORD: 'wrong' };
    expect(await run(['dois', 'get', '10.5072/none'], { env })).toMatchObject({
      code: 4,
      stderr: /did not accept/,
    });
  });
  it('does not take another DOI for the one asked for', async () => {
    const { url } = await serve(answer(200, { data: { id: '10.5072/other', type: 'dois' } }));
    const env = { DOI_CLI_BASE_URL: url.href };
    expect(await runBare(['dois', 'get', '10.5072/x'], { env })).toMatchObject({
      code: 1,
      stdout: '',
    });
  });
  it('refuses what is not a DOI', async () => {
    const { anonymous, log } = await emulate();
    expect(await anonymous(['dois', 'get', 'zenodo'])).toMatchObject({
      code: 2,
      stderr: /not a DOI/,
    });
    expect(await log()).toEqual([]);
  });
});

describe('dois create', () => {
  it('works with an API key', async () => {
    const { anonymous, newKey } = await emulate();
    const { key } = await newKey('k');
    const result = await anonymous(['dois', 'create', '--file', '-', '--format', 'text'], {
      env: { DOI_CLI_API_KEY: key },
      stdin: JSON.stringify(RECORD),
    });
    expect(result).toMatchObject({ code: 0, stdout: /^Created 10\.5072\/\S+ \(draft\) .+\n$/ });
  });
  it('sends the text of the file as it is spelled', async () => {
    const { url, asked } = await serve(
      answer(201, { data: { id: '10.5072/x', attributes: { state: 'findable' } } }),
    );
    const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'DC.k' };
    const bare = '{ "doi":"10.5072/x","n":12345678901234567890,"f":1.0,"t":"caf\\u00e9" }';
    const document = '{"data": {"attributes": {"doi":"10.5072/x","f":1.0}, "type":"dois"}}';
    const create = ['dois', 'create', '--file', '-', '--event', 'publish', '--no-validate'];
    for (const stdin of [
      bare,
      document,
      '{"data":{"type":"dois","attributes":{"event":"publish","doi":"10.5072/x"}}}',
    ]) {
      expect(await runBare(create, { env, stdin })).toMatchObject({ code: 0 });
    }
    // With a version of the schema the service names what it refuses (service.md, S6).
    const version = '"schemaVersion":"http://datacite.org/schema/kernel-4"';
    expect(asked.map(({ body }) => body)).toEqual([
      `{"data":{"type":"dois","attributes":${bare.replace('{ ', `{"event":"publish",${version},`).replace(' }', '}')}}}`,
      `{"data":{"type":"dois","attributes":{"event":"publish",${version},"doi":"10.5072/x","f":1.0}}}`,
      `{"data":{"type":"dois","attributes":{${version},"event":"publish","doi":"10.5072/x"}}}`,
    ]);
  });
  it.each([
    ['no JSON', 'prefix: 10.5072', /stdin is neither JSON.*\nhint: records are JSON/],
    ['an empty list', '[]', /stdin holds no record/],
    ['no data', '{"data":[]}', /one resource object/],
    ['another type', '{"data":{"type":"clients","attributes":{}}}', /"dois"/],
    ['no attributes', '{"data":{"type":"dois"}}', /attributes/],
    ['no DOI', '{"titles":[]}', /neither a doi nor a prefix/],
    [
      'a member twice',
      '{"prefix":"10.5072","titles":[{"title":"a","title":"b"}]}',
      /"title" appears twice/,
    ],
    ['an unknown event', '{"prefix":"10.5072","event":"go"}', /publish, register, hide/],
  ])('refuses %s before any request', async (_, stdin, message) => {
    const { run, log } = await emulate();
    expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({
      code: 2,
      stderr: message,
    });
    expect(await log()).toEqual([]);
  });
});
