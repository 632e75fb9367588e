import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  changeSettings,
  readSettings,
  type Settings,
  withProfile,
} from '../../src/settings/settings.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

function withFile(text: string): { env: { DOI_CLI_CONFIG_DIR: string }; file: string } {
  const cwd = join(temporaryDirectory(), 'settings');
  mkdirSync(cwd);
  const file = join(cwd, 'config.json');
  writeFileSync(file, text, { mode: 0o600 });
  return { env: { DOI_CLI_CONFIG_DIR: cwd }, file };
}

const ignored = () => undefined;
const listeners = () =>
  (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map((name) => process.listeners(name));
/** Before anything has loaded conf. */
const BEFORE = listeners();

const STORED = { baseUrl: 'https://a.org', kind: 'repository', account: 'A.B', place: 'keychain' };

const inRun = (env: Record<string, string>) => ({
  env,
  signal: new AbortController().signal,
  note: () => undefined,
});

describe('settings', () => {
  it.each([
    ['[]', 'the file is not an object'],
    ['null', 'the file is not an object'],
    ['7', 'the file is not an object'],
    ['{"profiles":7}', 'profiles is not an object'],
    ['{"profiles":[]}', 'profiles is not an object'],
    ['{"profiles":{"a":null}}', 'profile a is not an object'],
    ['{"profiles":{"a/~b":{"base-url":1}}}', 'base-url of profile a/~b is not a text'],
    ['{"mailto":"me@example.org"}', 'mailto is outside of a profile'],
    ['{"profiles":{"a":{"other":"x"}}}', 'profile a has an unknown setting other'],
    ['{"profiles":{"__proto__":{"other":"x"}}}', 'profile __proto__ has an unknown setting other'],
    ['{"stored":{}}', 'stored is not a list'],
    ['{"stored":[7]}', 'stored[0] is not an object'],
    ['{"stored":[{}]}', 'stored[0] lacks baseUrl'],
    [
      JSON.stringify({ stored: [{ ...STORED, extra: 1 }] }),
      'stored[0] has an unknown member extra',
    ],
    [
      JSON.stringify({ stored: [STORED, { ...STORED, kind: 'x' }] }),
      'kind of stored[1] is not repository or api-key',
    ],
    [
      JSON.stringify({ stored: [{ ...STORED, olderIn: null }] }),
      'olderIn of stored[0] is not keychain or insecure-file',
    ],
    [JSON.stringify({ stored: [{ ...STORED, account: 7 }] }), 'account of stored[0] is not a text'],
    ['{"profiles":', 'the file is not JSON'],
  ])('that are %s are refused, and stay as they are', async (text, words) => {
    const { env, file } = withFile(text);
    const refused = { kind: 'usage', message: expect.stringContaining(words) };
    await expect(readSettings(env)).rejects.toMatchObject(refused);
    await expect(readSettings(env)).rejects.toThrow(`the settings in ${file} are not valid: `);
    await expect(changeSettings(inRun(env), (settings) => settings)).rejects.toMatchObject(refused);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    ['{}', { profiles: {}, stored: [] }],
    ['{"other":1}', { profiles: {}, stored: [] }],
    // A byte order mark.
    ['\uFEFF{"profiles":{"a":{"mailto":"x"}}}', { profiles: { a: { mailto: 'x' } }, stored: [] }],
    [
      JSON.stringify({ profiles: { 'a.b': { mailto: '' } } }),
      { profiles: { 'a.b': { mailto: '' } }, stored: [] },
    ],
    [JSON.stringify({ stored: [STORED] }), { profiles: {}, stored: [STORED] }],
  ])('that are %s are read', async (text, settings) => {
    expect(await readSettings(withFile(text).env)).toEqual(settings);
  });

  it('keep what only a newer version knows', async () => {
    const { env, file } = withFile('{"other":{"a":[1]},"profiles":{}}');
    await changeSettings(inRun(env), (settings) => withProfile(settings, 'b', { mailto: 'x' }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      other: { a: [1] },
      profiles: { b: { mailto: 'x' } },
      stored: [],
    });
  });

  it.skipIf(lacks('links'))('behind a link that leads nowhere are not taken for none', async () => {
    const { env, file } = withFile('{}');
    rmSync(file);
    symlinkSync(`${file}.elsewhere`, file);
    await expect(readSettings(env)).rejects.toMatchObject({
      kind: 'usage',
      message: `the settings in ${file} are not valid: no such file or directory`,
    });
    writeFileSync(`${file}.elsewhere`, '{"profiles":{"a":{"mailto":"x"}}}');
    expect((await readSettings(env)).profiles).toEqual({ a: { mailto: 'x' } });
  });

  it('leave signals to the program', async () => {
    expect(listeners()).toEqual(BEFORE);
    process.on('SIGINT', ignored);
    await changeSettings(inRun(withFile('{}').env), (settings) => settings);
    expect(listeners()).toEqual([BEFORE[0], [...(BEFORE[1] ?? []), ignored], BEFORE[2]]);
    process.removeListener('SIGINT', ignored);
  });

  it('are not written when they could not be read again', async () => {
    const { env, file } = withFile('{}');
    const wrong = { profiles: { a: { mailto: 7 } }, stored: [] } as unknown as Settings;
    await expect(changeSettings(inRun(env), () => wrong)).rejects.toMatchObject({ kind: 'output' });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});
