import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** What a fresh copy of the module says on a system without tools, and what it prints. */
async function onBareSystem(required: string) {
  vi.stubEnv('PATH', '/nonexistent');
  vi.stubEnv('DOI_CLI_REQUIRE_ALL_TESTS', required);
  vi.resetModules();
  const { lacks } = await import('./platform.ts');
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
      [expect.stringContaining('need jq, because there is no jq')],
      [expect.stringContaining('need powerShell, because there is no PowerShell')],
    ]);
  });

  it('runs and fails where all tests are required, unless that is rare', async () => {
    expect(await onBareSystem('1')).toEqual({ tool: false, rare: true, both: true });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('powerShell')]]);
  });
});
