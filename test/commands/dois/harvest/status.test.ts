import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

it('names files that are not part of the copy, but not those of the system', async () => {
  const { run } = await emulate({ records: 20 });
  const dir = join(temporaryDirectory(), 'copy');
  expect((await run(['dois', 'harvest', '--dir', dir])).code).toBe(0);
  const data = join(dir, 'data');
  const [part = ''] = readdirSync(data);
  for (const name of ['.DS_Store', 'desktop.ini']) writeFileSync(join(data, name), '');
  const status = ['dois', 'harvest', 'status', '--dir', dir];
  expect(await run(status)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warn') });
  const others = [
    part.replace('.ndjson', ' (conflicted copy 2026-11-27).ndjson'),
    part.replace('w0', 'w9'),
    'notes.txt',
  ].sort();
  for (const name of others) copyFileSync(join(data, part), join(data, name));
  const { code, stdout, stderr } = await run([...status, '--format', 'json']);
  expect([code, JSON.parse(stdout).verdict]).toEqual([0, 'complete']);
  expect(stderr).toContain(`not part of the copy: ${others.join(', ')}\n`);
});
