import { type Answer, accountAt, answer, serve } from '../helpers/server.ts';

const COUNT = answer(200, { data: [], meta: { total: 0 } });

export const missing = answer(404, { errors: [{ status: '404', title: 'not there' }] });
export const broken = answer(503, 'x');

/**
 * A service with one record, which gives the same answer to each write.
 * @param looks its answers to reads after the first write, the last one again and again
 */
export async function misled(before: Answer, write: Answer, looks: readonly Answer[]) {
  let writes = 0;
  let reads = 0;
  const { url, asked } = await serve((response, exchange) => {
    if (exchange.method !== 'GET') {
      writes += 1;
      return write(response, exchange);
    }
    if (exchange.url.startsWith('/dois?')) return COUNT(response, exchange);
    if (writes === 0) return before(response, exchange);
    looks[Math.min(reads++, looks.length - 1)]?.(response, exchange);
  });
  const written = () => asked.filter(({ method }) => method !== 'GET').length;
  return { env: accountAt(url), asked, written };
}
