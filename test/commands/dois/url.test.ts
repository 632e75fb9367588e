import { describe, expect, it } from 'vitest';
import { against } from '../../helpers/against.ts';
import type { RunOptions } from '../../helpers/run.ts';
import { type Answer, answer, namesCaller } from '../../helpers/server.ts';

const CREDENTIALS = { DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'secret' };
const FORBIDDEN = answer(403, {
  errors: [{ status: '403', title: 'You are not authorized to access this resource.' }],
});

const urlOf = (answers: Answer | readonly Answer[], options: RunOptions = {}) =>
  against('dois get 10.5072/a --format url --retries 0'.split(' '), answers, {
    ...options,
    env: CREDENTIALS,
  });

describe('dois get --format url', () => {
  it('prints the address alone on a line', async () => {
    const own = answer(200, { url: 'https://example.org/?a=b' });
    const made = await urlOf([own]);
    expect(made).toMatchObject({ code: 0, stdout: 'https://example.org/?a=b\n', stderr: '' });
    expect(made.asked).toMatchObject([{ method: 'GET', url: '/dois/10.5072%2Fa/get-url' }]);
  });

  it('prints the URL in the record of another account, whose address is not shown', async () => {
    const url = 'https://example.org/theirs';
    const record = answer(200, { data: { id: '10.5072/a', type: 'dois', attributes: { url } } });
    expect(await urlOf([FORBIDDEN, record])).toMatchObject({ code: 0, stdout: `${url}\n` });
  });

  it('makes no second line on a terminal', async () => {
    const text = 'https://example.org/\nerror: \u001b[31mfake';
    const own = answer(200, { url: text });
    expect((await urlOf(own, { terminal: { stdout: true } })).stdout).toBe(
      'https://example.org/\\x0aerror: \\x1b[31mfake\n',
    );
    expect((await urlOf(own)).stdout).toBe(`${text}\n`);
  });

  it.each<[string, readonly Answer[], number, RegExp]>([
    [
      'none',
      [(response, exchange) => response.writeHead(204, namesCaller(exchange)).end()],
      1,
      /^error: 10\.5072\/a has no address\n$/,
    ],
    ['no text', [answer(200, { url: null })], 5, /contains no address/],
    ['another document', [answer(200, { data: { id: '10.5072/a' } })], 5, /contains no address/],
    [
      'refused credentials',
      [(response) => response.writeHead(200).end('{"url":"x"}')],
      4,
      /did not accept/,
    ],
    ['a foreign DOI', [FORBIDDEN, FORBIDDEN], 4, /not authorized/],
    ['no DOI', [answer(404, { errors: [] }), FORBIDDEN], 1, /does not exist, or these credentials/],
  ])('does not take %s for an address', async (_, answers, expected, message) => {
    const { code, stdout, stderr } = await urlOf(answers);
    expect([code, stdout, stderr]).toEqual([expected, '', message]);
  });
});
