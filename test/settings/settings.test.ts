// conf would compile the schema of the settings on each run. Given the check that was compiled before, it must refuse
// what it refuses with the schema, in the same words.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Conf from 'conf';
import { describe, expect, it } from 'vitest';
import { changeSettings, readSettings, type Settings } from '../../src/settings/settings.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const { properties } = JSON.parse(readFileSync('src/settings/schema.json', 'utf8')) as {
  properties: Record<string, object>;
};

function withFile(text: string): { env: { DOI_CLI_CONFIG_DIR: string }; file: string } {
  const cwd = join(temporaryDirectory(), 'settings');
  mkdirSync(cwd);
  const file = join(cwd, 'config.json');
  writeFileSync(file, text, { mode: 0o600 });
  return { env: { DOI_CLI_CONFIG_DIR: cwd }, file };
}

const STORED = { baseUrl: 'https://a.org', kind: 'repository', account: 'A.B', place: 'keychain' };

describe('settings', () => {
  it.each([
    ...['[]', 'null', '7', '"x"', 'true'],
    ...[
      '{"profiles":7}',
      '{"profiles":[]}',
      '{"profiles":{"a":null}}',
      '{"profiles":{"a/~b":{"base-url":1}}}',
    ],
    ...['{"profiles":{"a":{"other":"x"}}}', '{"stored":{}}', '{"stored":[7,{}]}'],
    JSON.stringify({ stored: [{ ...STORED, baseUrl: 1, kind: 'x', olderIn: null, more: 1 }] }),
  ])('that are %s are refused as conf refuses them by the schema', async (text) => {
    const { env, file } = withFile(text);
    const conf = () =>
      new Conf({ cwd: env.DOI_CLI_CONFIG_DIR, schema: properties, accessPropertiesByDotNotation: false });
    let message = '';
    try {
      conf();
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^Config schema violation: /);
    const refused = { kind: 'usage', message: `the settings in ${file} are not valid: ${message}` };
    await expect(readSettings(env)).rejects.toMatchObject(refused);
    await expect(changeSettings(env, (settings) => settings)).rejects.toMatchObject(refused);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    ['{}', { profiles: {}, stored: [] }],
    ['{"other":1}', { profiles: {}, stored: [] }],
    [
      JSON.stringify({ profiles: { 'a.b': { mailto: '' } } }),
      { profiles: { 'a.b': { mailto: '' } }, stored: [] },
    ],
    [JSON.stringify({ stored: [STORED] }), { profiles: {}, stored: [STORED] }],
  ])('that are %s are read', async (text, settings) => {
    expect(await readSettings(withFile(text).env)).toEqual(settings);
  });

  it('are not written when they could not be read again', async () => {
    const { env, file } = withFile('{}');
    const wrong = { profiles: { a: { mailto: 7 } }, stored: [] } as unknown as Settings;
    await expect(changeSettings(env, () => wrong)).rejects.toMatchObject({ kind: 'output' });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });
});
