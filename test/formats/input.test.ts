import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownNames } from '../../src/disk/folders.ts';
import { emulate } from '../helpers/emulator.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const RECORD = '{"doi":"10.5072/zz","titles":[{"title":"Höhe"}],"prefix":"10.5072"}';
const PRETTY = JSON.stringify(JSON.parse(RECORD), null, 2);
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('a file', () => {
  it.each([
    ['UTF-16', Buffer.from(`\ufeff${RECORD}\n${RECORD.replace('zz', 'zy')}\n`, 'utf16le')],
    ['UTF-16BE', bigEndian(`\ufeff${RECORD}\n${RECORD.replace('zz', 'zy')}\n`)],
    ['UTF-16 without a mark', Buffer.from(`[${RECORD},\n${RECORD}]`, 'utf16le')],
    ['rows in UTF-16 without a mark', bigEndian('doi,titles[0].title\n10.5072/zz,Höhe\n')],
  ])('of records in %s is read from stdin', async (_name, stdin) => {
    const { run } = await emulate();
    const { stdout, stderr } = await run(['dois', 'validate', '--file', '-'], { stdin });
    expect(stdout + stderr).not.toMatch(/UTF|not JSON|not known|U\+/);
    expect(stdout + stderr).toContain('creators');
  });
  it.each([
    ['names.json', '{`a`: 1, `b`: 2}', /in double quotes/],
    ['names.ndjson', '{"a": "x", b: 1, c: 2}\n', /in double quotes/],
    ['names.json', "{'a': 1, 'b': 2}", /in double quotes/],
    ['pretty.ndjson', PRETTY.repeat(2), /pretty\.ndjson:1:.* \(not valid JSON\)/s],
    ['later.ndjson', `${RECORD}\n{"doi":\n"10.5072/b"}\n`, /later\.ndjson:2:.* \(not valid JSON\)/],
  ])('%s with %s is refused', async (name, content, message) => {
    const file = join(temporaryDirectory(), name);
    writeFileSync(file, content);
    const { run } = await emulate();
    const { code, stdout, stderr } = await run(['dois', 'create', '--file', file]);
    expect([code, stdout]).not.toContain(0);
    expect(stdout + stderr).toMatch(message);
    expect(stdout + stderr).not.toContain('twice');
  });
});

it("an exported cell with U+0000 is read, and is no edit; Excel's escapes are warned of", async () => {
  const { run } = await emulate();
  const file = join(temporaryDirectory(), 'mine.csv');
  const title = JSON.stringify([{ title: 'Deep\0 lakes' }]);
  const create = ['dois', 'create', '--file', '-', '--no-validate'];
  await run(create, { stdin: `{"doi":"10.5072/nul","titles":${title}}` });
  const list = ['dois', 'list', '--all', '--mine', '--query', 'doi:10.5072/nul', '--out', file];
  expect(await run(list)).toMatchObject({ code: 0 });
  expect(await run(['dois', 'update', '--file', file])).toMatchObject({
    code: 0,
    stderr: /1 unchanged/,
  });
  const rows = 'doi,titles[0].title\n10.5072/nul,Deep_x000D_\n';
  const { stdout, stderr } = await run(['dois', 'update', '--dry-run', '--file', '-'], {
    stdin: rows,
  });
  expect(stdout + stderr).toMatch(/contains _x000D_, as converters of Excel files spell/);
});

it('a folder with what systems leave counts as empty', async () => {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'lost+found'));
  for (const name of ['desktop.ini', '.DS_Store', '.gitkeep', 'Thumbs.db', '._a', '.nfs00af'])
    writeFileSync(join(folder, name), '');
  expect(await ownNames(folder)).toEqual([]);
  writeFileSync(join(folder, '.env'), '');
  expect(await ownNames(folder)).toEqual(['.env']);
});
