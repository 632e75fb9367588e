import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { idsIn } from '../../helpers/json-lines.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

async function prepare() {
  const folder = temporaryDirectory(onTestFinished);
  const emulator = await emulate();
  const { stdout } = await emulator.run(['dois', 'list', '--mine', '--limit', '3']);
  const dois = idsIn(stdout);
  return { emulator, dois, folder };
}

describe('dois get --out', () => {
  it('writes what a pipe would get, in the format and compression of the ending', async () => {
    const { emulator, dois, folder } = await prepare();
    const [one = ''] = dois;
    for (const [named, name, format] of [
      [[one], 'one.json', 'json'],
      [[one], 'one.xml', 'datacite-xml'],
      [[one], 'one.ris', 'ris'],
      [[one], 'one', 'json'],
      [[one], 'one.txt', 'text'],
      [dois, 'many.bib', 'bibtex'],
      [dois, 'many.json', 'json'],
      [dois, 'many', 'ndjson'],
      [dois, 'many.ndjson.gz', 'ndjson'],
    ] as const) {
      const path = join(folder, name);
      const get = ['dois', 'get', ...named];
      // A file gets no colours and no width of a terminal.
      const written = await emulator.run([...get, '--out', path], {
        terminal: { stdout: true, columns: 40 },
      });
      expect(written, name).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const bytes = readFileSync(path);
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      expect(text, name).toBe((await emulator.run([...get, '--format', format])).stdout);
    }
  });

  it('writes nothing if a DOI is missing', async () => {
    const { emulator, dois, folder } = await prepare();
    const path = join(folder, 'refs.bib');
    const several = await emulator.run(['dois', 'get', ...dois, '10.5072/none', '--out', path]);
    expect(several).toMatchObject({
      code: 1,
      stderr:
        /^error: 1 of 4 DOIs were not found: 10\.5072\/none; nothing was written\nhint: leave/,
    });
    const one = await emulator.run(['dois', 'get', '10.5072/none', '--out', path]);
    expect(one).toMatchObject({ code: 1, stderr: /10\.5072\/none/ });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [['--out', 'json'], /--format json/],
    [['--out', 'a.pdf'], /no format has the ending \.pdf/],
    [['--out', 'a.bib.zip'], /cannot be written/],
    [['--out', '/nonexistent/folder/x'], /mkdir -p/],
    [['--out', 'a.json', '--web'], /cannot be used with/],
    [['10.5072/b', '--out', 'a.xml'], /holds one record/],
  ])('refuses %j before any request', async (more, message) => {
    const emulator = await emulate();
    const result = await emulator.run(['dois', 'get', '10.5072/a', ...more]);
    expect(result).toMatchObject({ code: 2, stderr: message });
    expect(await emulator.log()).toEqual([]);
    expect(existsSync('a.json')).toBe(false);
  });
});
