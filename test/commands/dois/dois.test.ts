import { describe, expect, it } from 'vitest';
import { against } from '../../helpers/against.ts';
import { emulate } from '../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { answer } from '../../helpers/server.ts';

const RECORD = { prefix: '10.5072', ...COMPLETE_RECORD };

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
    const env = { DOI_CLI_API_KEY: 'DC.k' };
    const made = answer(201, { data: { id: '10.5072/x', attributes: { state: 'findable' } } });
    const bare = '{ "doi":"10.5072/x","n":12345678901234567890,"f":1.0,"t":"caf\\u00e9" }';
    const document = '{"data": {"attributes": {"doi":"10.5072/x","f":1.0}, "type":"dois"}}';
    const named = '{"data":{"type":"dois","attributes":{"event":"publish","doi":"10.5072/x"}}}';
    const create = ['dois', 'create', '--file', '-', '--event', 'publish', '--no-validate'];
    const bodies = [];
    for (const stdin of [bare, document, named]) {
      const { code, asked } = await against(create, made, { env, stdin });
      expect(code).toBe(0);
      bodies.push(...asked.map(({ body }) => body));
    }
    // With a version of the schema the service names what it refuses (service.md, S6).
    const version = '"schemaVersion":"http://datacite.org/schema/kernel-4"';
    expect(bodies).toEqual([
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
