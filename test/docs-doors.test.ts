import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shell } from './e2e/program.ts';
import { emulate } from './helpers/emulator.ts';
import { lacks } from './helpers/platform.ts';
import { temporaryDirectory } from './helpers/temporary.ts';

describe.skipIf(lacks('posixShell'))('the examples of', () => {
  it.each(['mds.md', 'datafile.md'])('docs/%s work as typed', { timeout: 60_000 }, async (name) => {
    const text = readFileSync(`docs/${name}`, 'utf8');
    const examples = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
    expect(examples.length).toBeGreaterThan(0);
    const { env } = await emulate();
    const folder = temporaryDirectory();
    const { code, stderr } = await shell(`set -e; cd '${folder}'\n${examples.join('\n')}`, { env });
    expect(code, stderr).toBe(0);
  });
});
