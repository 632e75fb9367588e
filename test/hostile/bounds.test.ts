// The memory of the built program, and how soon an interrupt ends it, against answers without
// bounds. To add an answer, add a row to ENDLESS in endless.ts; to add a command, add it to
// STREAMING or to WHOLE.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../e2e/program.ts';
import { lacks } from '../helpers/platform.ts';
import { serve, silent } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { ENDLESS, LARGE } from './endless.ts';
import { hostileService } from './service.ts';

const MB = 1024 * 1024;
const MOST_BYTES = 400 * MB;
const ACCOUNT = { DOI_CLI_REPOSITORY: 'demo.repo', DOI_CLI_PASSWORD: 'secret' };
const HOOK = new URL('./peak-memory.mjs', import.meta.url).href;

/** Commands that read an answer as a stream of records: one of them meets each answer. */
const STREAMING = ['dois list --all --page-size 250', 'dois list --format csv'];
/**
 * Commands that read an answer as a whole, up to a number of bytes, whatever these are: one of them
 * meets a plain answer and each gzip bomb.
 */
const WHOLE = ['dois list --count', 'dois get 10.5072/a --format json', 'keys list'];

/** Runs the built program. @returns its result with its peak memory in bytes. */
async function measured(argv: readonly string[], url: URL, during?: (kill: () => void) => void) {
  const peakFile = join(temporaryDirectory(), 'peak');
  const env = {
    ...ACCOUNT,
    DOI_CLI_BASE_URL: url.origin,
    PEAK_FILE: peakFile,
    NODE_OPTIONS: `--import=${HOOK}`,
  };
  const result = await program(argv, {
    env,
    during: (child) => during?.(() => child.kill('SIGINT')),
  });
  return { ...result, peak: Number(readFileSync(peakFile, 'utf8')) };
}

describe('an answer without end', () => {
  describe.each(Object.keys(ENDLESS).map((name, index) => [name, index] as const))(
    '%s',
    (name, index) => {
      it('is refused within 400 MB', async () => {
        const { url } = await serve(ENDLESS[name]?.() ?? silent);
        const isForWhole = name === 'an endless string' || name.includes('gzip');
        const commands = [STREAMING, ...(isForWhole ? [WHOLE] : [])].map(
          (all) => all[index % all.length] ?? '',
        );
        const runs = commands.map((line) => measured([...line.split(' '), '--retries', '0'], url));
        for (const { code, stdout, stderr, peak } of await Promise.all(runs)) {
          expect(code).toBe(5);
          expect(stdout.replace(/^doi,.*\n/, '')).toBe('');
          expect(stderr).toMatch(/no (usable )?answer/);
          expect(peak).toBeLessThan(MOST_BYTES);
        }
      });
    },
  );
});

describe('an answer that is as large as it may be', () => {
  it.each(Object.entries(LARGE))('takes no more than 400 MB: %s', async (_, { answer, argv }) => {
    const { url } = await serve(answer());
    const { code, stderr, peak } = await measured([...argv, '--retries', '0'], url);
    expect({ code, stderr }).toMatchObject({ code: expect.toBeOneOf([0, 1, 3, 5]) });
    expect(peak).toBeLessThan(MOST_BYTES);
  });
});

describe.skipIf(lacks('signals'))('a harvest with many jobs', () => {
  it.each(
    ['a gzip bomb of 10 GB', 'an endless string'].map((name) => [name, ENDLESS[name]] as const),
  )('stays within 400 MB with %s in every window, and ends at an interrupt', async (_, make) => {
    const instead = make?.();
    let interrupt = () => undefined as unknown;
    const { url } = await hostileService(
      (_reply, { page }) => {
        if (page === 40) interrupt();
        return page > 0 ? instead : undefined;
      },
      { total: 2000 },
    );
    const words = 'dois harvest --page-size 10 --jobs 16 --rate 1000/1s --dir'.split(' ');
    const argv = [...words, temporaryDirectory()];
    const { code, peak } = await measured(argv, url, (kill) => {
      interrupt = kill;
    });
    expect(code).toBe(130);
    expect(peak).toBeLessThan(MOST_BYTES);
  });
});

describe.skipIf(lacks('signals'))('a list with many cursors', () => {
  it('stays within 400 MB where every page is large and not compressed', async () => {
    const pad = Buffer.alloc(24 * MB, ' ');
    const created = Array.from({ length: 1500 }, (_, index) => Date.UTC(2020, 0, 1 + index));
    let interrupt = () => undefined as unknown;
    const { url } = await hostileService(
      ({ body, headers }, { params, page }) => {
        if (page === 30) interrupt();
        if (!params.has('query')) return undefined;
        return (response) => {
          response.writeHead(200, { 'content-type': 'application/vnd.api+json', ...headers });
          response.write(pad);
          response.end(JSON.stringify(body));
        };
      },
      { created },
    );
    const argv = 'dois list --all --page-size 10 --jobs 24 --rate 100000/1s'.split(' ');
    const { peak } = await measured(argv, url, (kill) => {
      interrupt = kill;
    });
    expect(peak).toBeLessThan(MOST_BYTES);
  });
});
