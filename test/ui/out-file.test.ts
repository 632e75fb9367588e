import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutFile } from '../../src/ui/out-file.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

describe('OutFile', () => {
  it('appears when it is complete, and not before', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'dois.ndjson');
    const out = await OutFile.open(path);
    await out.write('one\n', Buffer.from('two\n'));
    expect(existsSync(path)).toBe(false);
    await out.commit();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(readdirSync(dir)).toEqual(['dois.ndjson']);
  });
  it('leaves an older file and nothing else when it is discarded', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'dois.ndjson');
    writeFileSync(path, 'old');
    const out = await OutFile.open(path);
    await out.write('new');
    await out.discard();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dir)).toEqual(['dois.ndjson']);
  });
  it('replaces the file behind a link, not the link', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'real'), 'old');
    symlinkSync('real', join(dir, 'link'));
    const out = await OutFile.open(join(dir, 'link'));
    await out.write('new');
    await out.commit();
    expect(readFileSync(join(dir, 'real'), 'utf8')).toBe('new');
  });
  it('refuses a place that cannot hold a file', async () => {
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'sub'));
    await expect(OutFile.open(join(dir, 'sub'))).rejects.toMatchObject({ kind: 'usage' });
    await expect(OutFile.open('/dev/null')).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/regular file/),
    });
    await expect(OutFile.open(join(dir, 'missing', 'x'))).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/there is no such file or folder/),
    });
  });
});
