import { CliError, toCliError, usageError } from '../errors.ts';
import { MAX_SMALL_BYTES, readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';

/**
 * Checks that the service works (service.md, O2). @throws {CliError} kind `unavailable` if
 * something else answers.
 * @returns how many milliseconds this machine's clock is ahead of the service's; NaN if the answer
 *   has no time.
 */
export async function heartbeat(
  http: Http,
  { now }: { readonly now: () => number },
  options: Pick<Call<unknown>, 'isProbe' | 'retries'> = {},
): Promise<number> {
  const url = http.url('/heartbeat');
  let [sent, answered] = [now(), Number.NaN];
  await http.call({
    ...options,
    method: 'GET',
    url,
    accept: 'text/plain',
    headers: () => {
      sent = now();
      return {};
    },
    read: async (response) => {
      const [text, date] = [
        await readText(response, MAX_SMALL_BYTES),
        response.header('date') ?? '',
      ];
      if (text.trim() !== 'OK') {
        const message = `${http.baseUrl.host} answers, but it is not the service`;
        throw new CliError('unavailable', message, { hint: 'check --base-url and the proxy' });
      }
      // The answer was made between request and response, and its time has whole seconds.
      answered = (sent + now()) / 2 - (Date.parse(date) + 500);
    },
  });
  return answered;
}

/**
 * Checks that a base URL with a path is the root of the API. Below any other path, every answer is
 * 404, as if no DOI existed.
 * @throws {CliError} kind `usage` if it is not.
 */
export async function requireRoot(http: Http): Promise<void> {
  const { baseUrl } = http;
  const options = { isProbe: true, retries: 1 };
  const isRoot = await heartbeat(http, { now: Date.now }, options).then(
    () => true,
    (error: unknown) => toCliError(error).status !== 404,
  );
  if (isRoot) return;
  throw usageError(
    `the base URL ${baseUrl.href} is not the root of the API: it has no /heartbeat below it`,
    `write it without its path, as ${baseUrl.origin}`,
  );
}
