// A server that takes a write and never answers, and a user who interrupts.
import { expect, it } from 'vitest';
import { stopReason } from '../../src/errors.ts';
import { run } from '../helpers/run.ts';
import { accountAt, answer, serve } from '../helpers/server.ts';

const KEY = { name: 'n', keyPrefix: 'DC.1', created: '2026-01-01T00:00:00Z' };
const DRAFT = { id: '10.5072/a', type: 'dois', attributes: { doi: '10.5072/a', state: 'draft' } };

it.each([
  ['keys', 'revoke', 'k', '--yes'],
  ['dois', 'update', '10.5072/a', '--set', 'url=https://example.org/'],
  ['dois', 'delete', '10.5072/a', '--yes'],
])('an interrupted write says what it waits for: %s %s %s', async (...argv) => {
  const stop = new AbortController();
  const { url } = await serve((response, exchange) => {
    if (exchange.method === 'GET') {
      const isKeys = exchange.url.startsWith('/credentials');
      const data = isKeys ? [{ id: 'k', type: 'apiKeys', attributes: KEY }] : DRAFT;
      answer(200, { data, meta: { total: 1 } })(response, exchange);
      return;
    }
    stop.abort(stopReason('SIGINT'));
    setTimeout(() => response.destroy(), 50);
  });
  const options = { env: accountAt(url), signal: stop.signal };
  const { stderr } = await run([...argv, '--retries', '0'], options);
  expect(stderr).toContain('waiting for the answer, so that the outcome is known');
});
