import { describe, expect, it } from 'vitest';
import { against } from '../helpers/against.ts';
import type { Answer } from '../helpers/server.ts';

const RECORD = '"id":"10.5072/x","type":"dois"';
const KEY = '"type":"apiKeys","attributes":{"name":"a","keyPrefix":"DC.1","created":"2020"}';
const COUNT = ['dois', 'list', '--count'];
const GET = ['dois', 'get', '10.5072/x', '--format', 'json'];
const PUBLISH = ['dois', 'publish', '10.5072/x'];
const KEYS = ['keys', 'list'];
const STATS = ['dois', 'stats', '--by', 'state'];

const named =
  (body: string): Answer =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-credential-username': 'demo.repo' })
      .end(body);

const saying = (argv: readonly string[], body: string) =>
  against([...argv, '--retries', '1'], named(body), {
    env: { DOI_CLI_REPOSITORY: 'DEMO.REPO', DOI_CLI_PASSWORD: 'correct horse' },
  });

describe('an answer that says a thing twice', () => {
  it.each<[string, readonly string[], string]>([
    ['meta', COUNT, '{"data":[],"meta":{"total":5},"meta":{"total":7}}'],
    ['meta, spelled otherwise', COUNT, '{"data":[],"meta":{"total":5},"m\\u0065ta":{"total":7}}'],
    ['the total', COUNT, '{"data":[],"meta":{"total":5, "total" :7}}'],
    ['meta of a list', ['dois', 'list'], '{"data":[],"meta":{"total":0},"meta":{"total":7}}'],
    ['a facet', STATS, '{"data":[],"meta":{"total":5,"states":[],"states":[]}}'],
    [
      'a value of a facet',
      STATS,
      '{"data":[],"meta":{"total":5,"states":' +
        '[{"id":"findable","count":2},{"id":"findable","count":3}]}}',
    ],
    ['the record', GET, `{"data":{${RECORD}},"data":{${RECORD}}}`],
    ['the id of a record', PUBLISH, `{"data":{${RECORD},"id":"10.5072/x"}}`],
    [
      'the state',
      PUBLISH,
      `{"data":{${RECORD},"attributes":{"state":"draft","state":"findable"}}}`,
    ],
    ['the keys', KEYS, `{"data":[],"data":[{"id":"k",${KEY}}]}`],
    ['the id of a key', KEYS, `{"data":[{"id":"k","id":"l",${KEY}}],"meta":{"total":1}}`],
  ])('is an error: %s', async (_, argv, body) => {
    const { code, stdout, stderr } = await saying(argv, body);
    expect([stdout, [1, 3, 5].includes(code)], stderr).toEqual(['', true]);
    expect(stderr).toMatch(/^(error: |{"error")/m);
  });

  it.each<[readonly string[], string, RegExp]>([
    [COUNT, '{"data":[],"links":{},"meta":{"total":5,"a":{"total":1},"b":{"total":2}}}', /^5\n$/],
    [
      STATS,
      '{"data":[],"meta":{"total":5,"states":' +
        '[{"id":"findable","count":2},{"id":"draft","count":3}]}}',
      /draft/,
    ],
    [
      GET,
      `{"data":{${RECORD},"attributes":{"titles":[{"title":"id"},{"title":"id"}]}}}`,
      /"title": "id"/,
    ],
    [KEYS, `{"data":[{"id":"k",${KEY}},{"id":"l",${KEY}}]}`, /\nl /],
  ])('is none where members of different objects have one name: %j', async (argv, body, shown) => {
    const { code, stdout, stderr } = await saying(argv, body);
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(shown)]);
  });
});

describe('a state that is no text', () => {
  it.each(['{"name":"findable"}', '["findable"]', '1', 'true'])(
    'is an error: %s',
    async (state) => {
      const body = `{"data":{${RECORD},"attributes":{"state":${state}}}}`;
      for (const argv of [
        PUBLISH,
        ['dois', 'delete', '10.5072/x', '--yes'],
        ['dois', 'hide', '10.5072/x'],
      ]) {
        const { code, stdout, stderr } = await saying(argv, body);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/gives a state of 10.5072\/x that is not a text/);
      }
    },
  );
});
