import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryDirectory } from './temporary.ts';

/** A fresh copy of the module, on a system with the programs of one folder. */
async function fresh(path: string, required = '') {
  vi.stubEnv('PATH', path);
  vi.stubEnv('REQUIRE_ALL_TESTS', required);
  vi.resetModules();
  return import('./platform.ts');
}

/** What it says on a system without tools. */
async function onBareSystem(required: string) {
  const { lacks } = await fresh('/nonexistent', required);
  return { tool: lacks('jq'), rare: lacks('powerShell'), both: lacks('jq', 'powerShell') };
}

describe('a test that needs what is not there', () => {
  let warn: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());

  it('is skipped, with the reason, once', async () => {
    expect(await onBareSystem('')).toEqual({ tool: true, rare: true, both: true });
    expect(warn.mock.calls).toEqual([
      [/need jq, because there is no jq/],
      [/need powerShell, because there is no PowerShell/],
    ]);
  });

  it.skipIf(process.platform === 'win32')(
    'is skipped where the version is too old or not to be read, with both versions',
    async () => {
      const folder = temporaryDirectory();
      const put = (text: string) =>
        writeFileSync(join(folder, 'jq'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      const reasons: string[] = [];
      for (const text of ['echo jq-1.5', 'echo jq-1.10', 'echo jq', 'exit 3']) {
        put(text);
        warn.mockClear();
        const { lacks } = await fresh(folder);
        reasons.push(
          `${lacks('jq')} ${warn.mock.calls.map(([reason]: unknown[]) =>
            String(reason).replace(/.*can use/, ''),
          )}`,
        );
      }
      expect(reasons).toEqual([
        'true : version 1.5 is there, and 1.6 is needed',
        'false ',
        'true : jq names no version',
        'true ',
      ]);
    },
  );

  it('runs and fails where all tests are required, unless that is rare', async () => {
    expect(await onBareSystem('1')).toEqual({ tool: false, rare: true, both: true });
    expect(warn.mock.calls).toEqual([[/powerShell/]]);
  });
});
