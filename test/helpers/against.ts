import { type RunOptions, run } from './run.ts';
import { type Answer, serve } from './server.ts';

/**
 * Runs a command line against a server that gives these answers in turn, and repeats the last one.
 * @returns also the requests, and the URL of the server.
 */
export async function against(
  argv: readonly string[],
  answers: Answer | readonly Answer[],
  options: RunOptions = {},
) {
  const { url, asked } = await serve(...[answers].flat());
  const env = { DOI_CLI_BASE_URL: url.href, ...options.env };
  return { ...(await run(argv, { ...options, env })), asked, url };
}
