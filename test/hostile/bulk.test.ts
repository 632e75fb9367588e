import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../src/errors.ts';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { valuesIn } from '../helpers/run.ts';
import { sharedDirectory } from '../helpers/temporary.ts';

const folder = sharedDirectory();
const onOpenFile = it.skipIf(lacks('openFiles'));
const onPosix = it.skipIf(lacks('posixShell', 'devices'));

let files = 0;
const place = (ending: string) => join(folder, `${++files}.${ending}`);
const titles = (count: number) =>
  Array.from({ length: count }, (_, index) => `number ${index + 1}`);
const spelled = (count: number, more: object = {}) =>
  titles(count)
    .map((title) => `${JSON.stringify({ prefix: '10.5072', titles: [{ title }], ...more })}\n`)
    .join('');

/** A file of `count` records. */
function file(count: number, more: object = {}): string {
  const path = place('ndjson');
  writeFileSync(path, spelled(count, more));
  return path;
}

const create = (path: string, ...more: string[]) => ['dois', 'create', '--file', path, ...more];
const posts = async ({ log }: TestEmulator) =>
  (await log()).filter(({ method }) => method === 'POST').length;

async function titlesOf({ control, run }: TestEmulator): Promise<string[]> {
  await control('faults', { faults: [] });
  const { stdout } = await run(['dois', 'list', '--all', '--mine']);
  return valuesIn<{ attributes: { titles: { title: string }[] } }>(stdout)
    .map(({ attributes }) => attributes.titles[0]?.title ?? '')
    .sort();
}

const RECORDS = 12;

const linesIn = (bytes: Buffer) => bytes.toString().split('\n').slice(0, -1);
const joined = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const edited = (change: (lines: string[]) => void) => (bytes: Buffer) => {
  const lines = linesIn(bytes);
  change(lines);
  return joined(lines);
};
const zeroed = (from: (bytes: Buffer) => number, length: number) => (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  return copy.fill(0, from(copy), from(copy) + length);
};
const longer = (more: Buffer) => (bytes: Buffer) => Buffer.concat([bytes, more]);
const flipped = (part: number) => (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length * part);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** What may happen to a ledger, and whether the next run has to refuse it. */
const DAMAGES: readonly (readonly [
  what: string,
  damage: (bytes: Buffer) => Buffer,
  refused: boolean,
])[] = [
  ['NUL as its first byte', zeroed(() => 0, 1), true],
  ['one NUL in the middle', zeroed((bytes) => bytes.length >> 1, 1), true],
  ['512 zeros in the middle', zeroed((bytes) => (bytes.length >> 1) - 256, 512), true],
  ['one NUL in its last line', zeroed((bytes) => bytes.length - 30, 1), true],
  ['zeros in place of its end', zeroed((bytes) => bytes.length - 700, 700), false],
  ['zeros behind its end', longer(Buffer.alloc(4096)), false],
  ['a part of a line behind its end', longer(Buffer.from('{"line":1')), false],
  ...[0.02, 0.45, 0.9].map(
    (part) => [`a flipped bit at ${part * 100} %`, flipped(part), true] as const,
  ),
  ['a line removed in the middle', edited((lines) => lines.splice(6, 1)), true],
  ['its first line removed', edited((lines) => lines.shift()), true],
  [
    'two lines swapped',
    edited((lines) => lines.splice(4, 2, lines[5] ?? '', lines[4] ?? '')),
    true,
  ],
  ['a line twice', edited((lines) => lines.splice(4, 0, lines[4] ?? '')), true],
  ['a line again at its end', edited((lines) => lines.push(lines[3] ?? '')), true],
  ['an older result at its end', edited((lines) => lines.push(lines.at(-3) ?? '')), true],
  ['Windows line breaks', (bytes) => Buffer.from(bytes.toString().replaceAll('\n', '\r\n')), false],
  ['its last line cut in two', (bytes) => bytes.subarray(0, -20), false],
  ['its last line lost', edited((lines) => lines.pop()), false],
  ['its second half lost', edited((lines) => lines.splice(lines.length >> 1)), false],
  ['all but its first line lost', edited((lines) => lines.splice(1)), false],
  ['its first line cut in two', (bytes) => bytes.subarray(0, 60), true],
  ['nothing left', () => Buffer.alloc(0), true],
];

// What is refused is refused before the state of the run is known.
describe.each([
  ['finished', [], DAMAGES],
  ['stopped', ['500@7+'], DAMAGES.filter(([, , refused]) => !refused)],
] as const)('the ledger of a %s run', (_, faults, damages) => {
  it.each(damages)('with %s makes no record twice', async (_, damage, refused) => {
    const emulator = await emulate({ records: 0, faults });
    const path = file(RECORDS);
    const ledger = `${path}.create-ledger`;
    await emulator.run(create(path, '--retries', '0', '--jobs', '1'));
    await emulator.control('faults', { faults: [] });
    const bytes = damage(readFileSync(ledger));
    writeFileSync(ledger, bytes);
    const sent = await posts(emulator);
    const { code, stderr } = await emulator.run(create(path));
    if (refused) {
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: .*(ledger|damaged)[\s\S]*\nhint: /),
      ]);
      expect(readFileSync(ledger)).toEqual(bytes);
      expect(await posts(emulator)).toBe(sent);
      expect(new Set(await titlesOf(emulator)).size).toBe((await titlesOf(emulator)).length);
      return;
    }
    expect(code, stderr).toBe(0);
    expect(await titlesOf(emulator)).toEqual(titles(RECORDS).sort());
    // What it has become is a ledger again.
    expect((await emulator.run(create(path))).stderr).toContain(`${RECORDS} done before`);
  });
});

describe('what is no ledger', () => {
  onPosix.each<[string, (path: string) => Promise<unknown> | undefined]>([
    ['/dev/null', (path) => void symlinkSync('/dev/null', path)],
    ['a link to nowhere', (path) => void symlinkSync(`${path}.gone`, path)],
    ['a folder', (path) => void symlinkSync(folder, path)],
    ['a named pipe', (path) => promisify(execFile)('mkfifo', [path])],
    ['an empty file', (path) => void writeFileSync(path, '')],
    ['a text', (path) => void writeFileSync(path, 'precious\n')],
  ])('%s is refused and stays, named or where the ledger would be', async (_, make) => {
    const emulator = await emulate({ records: 0 });
    const path = file(2);
    const named = place('ledger');
    for (const [ledger, argv] of [
      [`${path}.create-ledger`, create(path)],
      [named, create(path, '--ledger', named)],
    ] as const) {
      await make(ledger);
      const before = lstatSync(ledger);
      const { code, stderr } = await emulator.run(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining(ledger)]);
      expect(lstatSync(ledger).ino).toBe(before.ino);
      expect(existsSync(`${ledger}.lock`)).toBe(false);
      rmSync(ledger);
    }
    expect(existsSync('/dev/null')).toBe(true);
    expect(await emulator.log()).toEqual([]);
  });
});

describe('records that can be read once only', () => {
  onPosix.each([[[]], [['--ledger', 'given']]])(
    'from a named pipe are all created, with %j',
    async (options) => {
      const emulator = await emulate({ records: 0 });
      const pipe = place('ndjson');
      await promisify(execFile)('mkfifo', [pipe]);
      const argv = create(
        pipe,
        ...options.map((word) => (word === 'given' ? place('ledger') : word)),
      );
      const running = emulator.run(argv);
      await promisify(execFile)('sh', ['-c', 'cat "$0" > "$1"', file(5), pipe]);
      expect(await running).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('5 created'),
      });
      expect(await titlesOf(emulator)).toEqual(titles(5));
    },
  );

  it('from /dev/stdin are all created', async () => {
    const emulator = await emulate({ records: 0 });
    const argv = create('/dev/stdin', '--ledger', place('ledger'));
    const { code, stderr } = await emulator.run(argv, { stdin: spelled(5) });
    expect([code, stderr]).toEqual([0, expect.stringContaining('5 created')]);
    expect(await titlesOf(emulator)).toEqual(titles(5));
  });

  onPosix('do not keep an interrupt waiting where nobody writes', async () => {
    const emulator = await emulate({ records: 0 });
    const pipe = place('ndjson');
    await promisify(execFile)('mkfifo', [pipe]);
    for (const verb of [['create'], ['update', '10.5072/x'], ['validate']]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(stopReason('SIGINT')), 50);
      const argv = ['dois', ...verb, '--file', pipe];
      expect(await emulator.run(argv, { signal: stop.signal })).toMatchObject({ code: 130 });
    }
  });

  onPosix('and devices and folders are refused', async () => {
    const emulator = await emulate({ records: 0 });
    for (const path of ['/dev/zero', folder]) {
      expect(await emulator.run(create(path, '--jobs', '2'))).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: cannot read .*\nhint: name a file/m),
      });
    }
  });
});

describe('while a run is at work', () => {
  /** A stdout that does something when the first result is written. */
  const atFirstResult = (act: () => unknown) => {
    let results = 0;
    return {
      async write() {
        results += 1;
        if (results === 1) await act();
      },
    };
  };

  it('a file that is cut does not end with success', async () => {
    const emulator = await emulate({ records: 0 });
    // More than one read takes.
    const path = file(30, { descriptions: [{ description: 'x'.repeat(60_000) }] });
    const stdout = atFirstResult(() =>
      truncateSync(path, Math.floor(lstatSync(path).size / 30) * 20),
    );
    const { code, stderr } = await emulator.run(create(path, '--jobs', '1', '--no-validate'), {
      stdout,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/:\d+ changed while it was read/)]);
    expect((await titlesOf(emulator)).length).toBeLessThan(30);
  });

  it('a lock that is deleted ends it before the next record', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(40);
    const lock = `${path}.create-ledger.lock`;
    const stdout = atFirstResult(() => rmSync(lock));
    const { code, stderr } = await emulator.run(create(path, '--jobs', '2'), { stdout });
    expect([code, stderr]).toEqual([3, expect.stringContaining(`the lock ${lock} was deleted`)]);
    expect(await posts(emulator)).toBeLessThan(10);
    expect((await emulator.run(create(path))).code).toBe(0);
    expect(await titlesOf(emulator)).toEqual(titles(40).sort());
  });

  it('another run that took its place makes no record twice', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(40);
    let rival: { code: number } | undefined;
    const stdout = atFirstResult(async () => {
      rmSync(`${path}.create-ledger.lock`);
      rival = await emulator.run(create(path));
    });
    const { code } = await emulator.run(create(path, '--jobs', '4'), { stdout });
    expect(code).toBe(3);
    // The rival ends too if an entry of the first run, which was on its way, comes into its ledger.
    expect([0, 3]).toContain(rival?.code);
    expect((await emulator.run(create(path))).code).toBe(0);
    expect(await titlesOf(emulator)).toEqual(titles(40).sort());
  });

  onOpenFile('a ledger that is removed ends it, without advice to begin again', async () => {
    const emulator = await emulate({ records: 0 });
    const path = file(40);
    const stdout = atFirstResult(() => rmSync(`${path}.create-ledger`));
    const { code, stderr } = await emulator.run(create(path, '--jobs', '2'), { stdout });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/create-ledger was removed[\s\S]*could be created/),
    ]);
    expect(stderr).not.toContain('continues');
    expect(await posts(emulator)).toBeLessThan(10);
  });
});
