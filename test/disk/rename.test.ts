import { describe, expect, it } from 'vitest';
import { isBusyFile, renameFile } from '../../src/disk/rename.ts';

function failing(code: string, times: number) {
  let attempts = 0;
  const rename = async () => {
    attempts += 1;
    if (attempts <= times) throw Object.assign(new Error(code), { code });
  };
  return { rename, attempts: () => attempts };
}

describe('renaming a file', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'waits on Windows while another program has it open: %s',
    async (code) => {
      const { rename, attempts } = failing(code, 3);
      await renameFile('a', 'b', rename, 'win32');
      expect(attempts()).toBe(4);
    },
  );

  it.each([
    ['win32', 'ENOENT'],
    ['win32', 'ENOSPC'],
    ['linux', 'EPERM'],
    ['darwin', 'EBUSY'],
  ])('fails at once where waiting does not help: %s %s', async (system, code) => {
    const { rename, attempts } = failing(code, 1);
    await expect(renameFile('a', 'b', rename, system)).rejects.toMatchObject({ code });
    expect(attempts()).toBe(1);
    expect(isBusyFile(Object.assign(new Error(code), { code }), system)).toBe(false);
  });
});
