import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

/** What a file imports, statically, lazily or as types: own files as paths, libraries as names. */
function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  );
}

const arrows = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })));
const from = (...rooms: string[]) => arrows.filter(({ file }) => rooms.some((room) => file.startsWith(room)));

describe('who may import whom', () => {
  it('finds the imports at all', () => {
    expect(arrows).toContainEqual({ file: 'src/main.ts', target: 'src/program.ts' });
    expect(arrows.length).toBeGreaterThan(100);
  });

  it('lets the emulator share no code with the client', () => {
    const strangers = from('src/emulator/').filter(
      ({ target }) => target.startsWith('src/') && !/^src\/(emulator\/|api\/types\.ts)/.test(target),
    );
    expect(strangers).toEqual([]);
    const users = arrows.filter(
      ({ file, target }) =>
        target.startsWith('src/emulator/') && !/^src\/(emulator\/|commands\/emulator)/.test(file),
    );
    expect(users).toEqual([]);
  });

  it.each([
    ['undici', /^src\/api\//],
    ['conf', /^src\/settings\/settings\.ts$/],
    ['env-paths', /^src\/settings\/settings\.ts$/],
    ['ajv/dist/2020.js', /^src\/metadata\//],
    ['fastest-levenshtein', /^src\/metadata\//],
    ['cli-table3', /^src\/ui\//],
    ['ora', /^src\/ui\//],
    ['@napi-rs/keyring', /^src\/credentials\/keychain-child\.ts$/],
    ['aws4', /^src\/datafile\/sign\.ts$/],
    [
      'commander',
      /^src\/(program|cli\/options|commands\/[a-z]+\/index|commands\/dois\/[a-z]+\/(index|options)|commands\/completion\/tree)\.ts$/,
    ],
  ])('lets only its owner import %s', (library, owner) => {
    const users = arrows.filter(({ target }) => target === library).map(({ file }) => file);
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !owner.test(file))).toEqual([]);
  });

  it('keeps the ground floor free of imports', () => {
    expect(from('src/errors.ts', 'src/text/redact.ts', 'src/text/json-places.ts')).toEqual([]);
  });

  it('lets nobody import the program of the keychain child, which is started and not called', () => {
    expect(arrows.filter(({ target }) => target === 'src/credentials/keychain-child.ts')).toEqual([]);
  });

  it('keeps api, bulk, datafile, disk, harvest, metadata, credentials and ui from importing commands', () => {
    const rooms = ['api', 'bulk', 'datafile', 'disk', 'harvest', 'metadata', 'credentials', 'ui'];
    const upward = from(...rooms.map((room) => `src/${room}/`)).filter(({ target }) =>
      /^src\/(commands|program|main)/.test(target),
    );
    expect(upward).toEqual([]);
  });

  it('leaves the process to main, and to the child process that is one of its own', () => {
    const entries = ['src/main.ts', 'src/credentials/keychain-child.ts'];
    const users = files.filter(
      (file) => !entries.includes(file) && /\bprocess\.[a-z]|\bconsole\./.test(readFileSync(file, 'utf8')),
    );
    expect(users).toEqual([]);
  });
});
