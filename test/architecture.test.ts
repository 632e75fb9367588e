import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Arrow {
  readonly file: string;
  /** A file of ours as a path, a library by its name. */
  readonly target: string;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name).replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'));
const sources = new Map(files.map((file) => [file, withoutComments(readFileSync(file, 'utf8'))]));
const arrows: readonly Arrow[] = files.flatMap((file) =>
  importsIn(sources.get(file) ?? '').map((name) => ({ file, target: resolved(file, name) })),
);
const own = arrows.filter(({ target }) => target.startsWith('src/'));

function withoutComments(source: string): string {
  return source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
}

/** What a file imports: statically, lazily, and as types. */
function importsIn(source: string): string[] {
  return [...source.matchAll(/(?<![.\w])(?:from\s|import[\s(])\s*'([^']+)'/g)].map(
    ([, name = '']) => name,
  );
}

function resolved(file: string, name: string): string {
  if (!name.startsWith('.')) return name;
  // A module that a script makes is known by its declaration.
  return normalize(join(dirname(file), name))
    .replaceAll('\\', '/')
    .replace(/\.js$/, '.d.ts');
}

const DEFINITION =
  /^(?:export )?(?:async )?(?:function\*?|(?:abstract )?class|const|interface|type) (\w+)/gm;
const definitions = new Set(
  [...sources.values()].flatMap((source) =>
    [...source.matchAll(DEFINITION)].map(([, name = '']) => name),
  ),
);

/**
 * The paths or the names that a guard is about. Without one of them the guard would pass whatever
 * the code does, so that it fails instead.
 */
function existing(...names: readonly string[]): readonly string[] {
  const dead = names.filter((name) =>
    name.startsWith('src/') ? !existsSync(name) : !definitions.has(name),
  );
  if (dead.length > 0) throw new Error(`guarded, but not in the sources: ${dead.join(', ')}`);
  return names;
}

/** Whether a file is one of these files, or in one of these folders. */
function isIn(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(`${path}/`));
}

/** The room of a file: a folder directly below src, or a file there. */
function roomOf(file: string): string {
  return file.split('/')[1] ?? file;
}

/** A file and all that it imports, types included, directly or through others. */
function closureOf(file: string, found = new Set([file])): string[] {
  for (const { target } of own.filter((arrow) => arrow.file === file && !found.has(arrow.target))) {
    found.add(target);
    closureOf(target, found);
  }
  return [...found];
}

/**
 * A cycle as the list of its nodes, the first one again at the end; undefined when there is none.
 */
function cycleIn(edges: Iterable<readonly [from: string, to: string]>): string[] | undefined {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  const finished = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (finished.has(node)) return undefined;
    for (const target of targets.get(node) ?? []) {
      const cycle = visit(target, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(node);
    return undefined;
  };
  for (const node of targets.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('a guard', () => {
  it('fails when what it guards does not exist', () => {
    expect(existing('src/main.ts', 'src/core', 'runProgram')).toHaveLength(3);
    expect(() => existing('src/main.ts', 'src/nothing.ts')).toThrow(/: src\/nothing\.ts$/);
    expect(() => existing('runProgram', 'walkNothing')).toThrow(/: walkNothing$/);
  });
});

describe('cycles', () => {
  it('finds a cycle where there is one', () => {
    const edges: [string, string][] = [
      ['a', 'b'],
      ['b', 'c'],
      ['d', 'c'],
      ['c', 'b'],
    ];
    expect(cycleIn(edges)).toEqual(['b', 'c', 'b']);
    expect(cycleIn(edges.slice(0, 3))).toBeUndefined();
  });

  it('finds the imports at all', () => {
    expect(arrows).toContainEqual({ file: 'src/main.ts', target: 'src/program.ts' });
    expect(own.length).toBeGreaterThan(500);
    expect(own.filter(({ target }) => target.endsWith('.ts') && !files.includes(target))).toEqual(
      [],
    );
  });

  // The declaration of a command loads its code when it runs, and the code takes the types of its
  // options from the declaration.
  const isOfDeclaration = ({ file, target }: Arrow) =>
    roomOf(file) === 'commands' &&
    target === `${dirname(file)}/index.ts` &&
    /^import type [^;]* from '\.\/index\.ts';$/m.test(sources.get(file) ?? '');

  it('has none between files, except that code knows the types of its declaration', () => {
    const counted = own.filter((arrow) => !isOfDeclaration(arrow));
    expect(own.length - counted.length).toBeGreaterThan(20);
    expect(cycleIn(counted.map(({ file, target }) => [file, target]))).toBeUndefined();
  });

  it('has none between folders, and none between rooms', () => {
    const folder = (file: string) => (dirname(file) === 'src' ? file : dirname(file));
    expect(cycleIn(own.map(({ file, target }) => [folder(file), folder(target)]))).toBeUndefined();
    expect(cycleIn(own.map(({ file, target }) => [roomOf(file), roomOf(target)]))).toBeUndefined();
  });
});

// A room imports only rooms further down, or of its own line where that makes no cycle.
const FLOORS: readonly (readonly string[])[] = [
  ['main.ts', 'library'],
  ['program.ts'],
  ['commands'],
  ['cli'],
  ['core'],
  ['writing'],
  ['formats'],
  ['harvest'],
  ['api', 'metadata'],
  ['credentials', 'ui'],
  ['settings'],
  ['disk', 'concurrency'],
  ['text'],
  ['errors.ts', 'version.ts'],
];

describe('rooms', () => {
  it('import only what is below them', () => {
    existing(...FLOORS.flat().map((room) => `src/${room}`));
    const floor = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(roomOf(file)));
    const client = own.filter(({ file }) => roomOf(file) !== 'emulator');
    expect(client.filter(({ file }) => floor(file) < 0)).toEqual([]);
    const [emulator] = existing('src/emulator/index.ts');
    const door = ({ target }: Arrow) => target === emulator;
    const upward = client.filter(
      (arrow) => !door(arrow) && floor(arrow.target) < floor(arrow.file),
    );
    expect(upward).toEqual([]);
  });

  it('load no command before it is chosen', () => {
    const [program = '', commands = '', dois = ''] = existing(
      'src/program.ts',
      'src/commands',
      'src/commands/dois/index.ts',
    );
    const light = existing('src/cli', 'src/text');
    const loaded = (file: string) =>
      [...(sources.get(file) ?? '').matchAll(/^import (?!type )[^;]* from '([^']+)';$/gm)].map(
        ([, name = '']) => resolved(file, name),
      );
    expect(loaded(program).filter((target) => isIn([commands], target))).toEqual([]);
    const nouns = files.filter((file) => /^src\/commands\/[^/]+\/index\.ts$/.test(file));
    expect(nouns.length).toBeGreaterThan(5);
    expect(loaded(dois).length).toBeGreaterThan(1);
    // Their names are arguments: of shells, and of settings, which every command reads.
    const names = existing('src/commands/completion/tree.ts', 'src/settings/settings.ts');
    const outside = nouns.flatMap(loaded).filter((target) => !isIn(light, target));
    expect(outside.filter((target) => !names.includes(target))).toEqual([]);
  });

  it('are few files at the top of src', () => {
    expect(files.filter((file) => dirname(file) === 'src').length).toBeLessThanOrEqual(5);
  });

  it.each([
    ['src/harvest/page', ['page']],
    ['src/harvest/walk', ['walk', 'page']],
    ['src/harvest/windows', ['windows', 'walk']],
    ['src/harvest/list', ['list', 'windows', 'walk', 'page']],
    ['src/harvest/store', ['store', 'walk', 'page']],
    ['src/harvest/export', ['export', 'copy', 'store']],
    ['src/harvest/copy', ['copy', 'windows', 'store', 'walk', 'page']],
  ])('%s imports of the harvest only what is below it', (folder, allowed) => {
    existing(folder, ...allowed.map((name) => `src/harvest/${name}`));
    const inside = own.filter(
      ({ file, target }) => dirname(file) === folder && roomOf(target) === 'harvest',
    );
    expect(inside.filter(({ target }) => !allowed.includes(target.split('/')[2] ?? ''))).toEqual(
      [],
    );
  });

  it('keep the service out of what is on disk', () => {
    const onDisk = existing('src/harvest/store');
    const store = own.filter(({ file }) => isIn(onDisk, file));
    expect(store.length).toBeGreaterThan(0);
    expect(store.filter(({ target }) => roomOf(target) === 'api')).toEqual([]);
  });

  it('keep the process, its environment, the settings and all output out of the library', () => {
    const inside = closureOf('src/library/index.ts');
    expect(inside.length).toBeGreaterThan(50);
    const kept = 'cli commands credentials settings ui main.ts program.ts emulator'.split(' ');
    const outside = existing(...kept.map((room) => `src/${room}`));
    expect(inside.filter((file) => isIn(outside, file))).toEqual([]);
    const facts = existing(
      'src/disk/lock/lock-file.ts',
      'src/disk/ownership.ts',
      'src/harvest/export/threads.ts',
    );
    const users = inside.filter((file) =>
      /\bprocess\.[a-z]|\bconsole\.|'node:(process|child_process|worker_threads)'/.test(
        sources.get(file) ?? '',
      ),
    );
    expect(users.filter((file) => !facts.includes(file))).toEqual([]);
    for (const file of users) expect(sources.get(file)).not.toMatch(/\benv\b|\bstd(in|out|err)\b/);
  });

  it('leave connections, lists, copies and new keys to core, so that commands have no other way', () => {
    const classes = existing('Http', 'Caller').join('|');
    const functions = existing(
      'walkList',
      'walkNumbered',
      'runHarvest',
      'createKey',
      'revokeKey',
    ).join('|');
    const calls = new RegExp(`\\bnew (?:${classes})\\(|\\b(?:${functions})\\(`);
    const defined = new RegExp(`(?:function\\*?|class) (?:${classes}|${functions})\\b`);
    const callers = files.filter((file) => {
      const source = sources.get(file) ?? '';
      return roomOf(file) !== 'emulator' && calls.test(source) && !defined.test(source);
    });
    expect(callers.length).toBeGreaterThan(3);
    expect(callers.filter((file) => roomOf(file) !== 'core')).toEqual([]);
  });

  it('leave the program of the keychain child alone, which is started and not called', () => {
    const [child] = existing('src/credentials/keychain-child.ts');
    expect(arrows.filter(({ target }) => target === child)).toEqual([]);
  });
});

describe('the emulator', () => {
  const inside = own.filter(({ file }) => roomOf(file) === 'emulator');

  it('shares no code with the client', () => {
    expect(inside.length).toBeGreaterThan(50);
    expect(inside.filter(({ target }) => roomOf(target) !== 'emulator')).toEqual([]);
  });

  it('has one door, which its command alone opens', () => {
    const users = own.filter(
      ({ file, target }) => roomOf(file) !== 'emulator' && roomOf(target) === 'emulator',
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ target }) => target !== 'src/emulator/index.ts')).toEqual([]);
    expect(users.filter(({ file }) => !file.startsWith('src/commands/emulator/'))).toEqual([]);
  });

  it('has layers: server, endpoints, state, records; http is below them all', () => {
    const layers = ['index.ts', 'server', 'endpoints', 'state', 'records', 'http'];
    existing(...layers.map((name) => `src/emulator/${name}`));
    const layer = (file: string) => layers.indexOf(file.split('/')[2] ?? '');
    expect(inside.filter(({ file }) => layer(file) < 0)).toEqual([]);
    expect(inside.filter(({ file, target }) => layer(target) < layer(file))).toEqual([]);
  });
});

describe('what writes a DOI', () => {
  const isOurs = (file: string) => !file.startsWith('src/emulator/');
  const usersOf = (pattern: RegExp) =>
    files.filter((file) => isOurs(file) && pattern.test(sources.get(file) ?? ''));

  it('is called only in writing/', () => {
    const calls = /\b(?:createDoi|updateDoi|deleteDoi|transferDoi)\(/;
    const callers = usersOf(calls).filter(
      (file) => !/^src\/api\/(?:dois|transfer)\.ts$/.test(file),
    );
    expect(callers).toEqual(['src/writing/send.ts']);
  });

  it('is nowhere else: other files send no request that changes something', () => {
    const senders = usersOf(/\bmethod: '(?:POST|PUT|PATCH|DELETE)'/);
    expect(senders).toEqual(['src/api/dois.ts', 'src/api/keys.ts', 'src/api/transfer.ts']);
  });
});

describe('exports', () => {
  const outside = ['test', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name))
      .map((name) => join(folder, name).replaceAll('\\', '/'))
      .map((file): [file: string, source: string] => [file, readFileSync(file, 'utf8')]),
  );
  const users = [...sources, ...outside].map(([file, source]) => ({
    isTest: file.startsWith('test/'),
    source,
    targets: importsIn(source).map((name) => resolved(file, name)),
  }));
  // The WebAssembly of the scan imports the grammar by names in its text.
  const scan = readFileSync('src/harvest/page/scan.wat', 'utf8');
  users.push({
    isTest: false,
    source: scan,
    targets: [...existing('src/harvest/page/grammar.ts')],
  });
  // The command requires the bundle of main.
  const bin = readFileSync('bin/doi-cli.js', 'utf8');
  users.push({ isTest: false, source: bin, targets: [...existing('src/main.ts')] });

  const declared = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;
  const comments = /\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm;
  /** The exports that no user names, in the form `file: name`. */
  const unusedBy = (
    users: readonly { source: string; targets: readonly string[] }[],
    ownUse: boolean,
  ) =>
    files.flatMap((file) => {
      const own = (sources.get(file) ?? '').replace(comments, '');
      const importers = users.filter(({ targets }) => targets.includes(file));
      // The package exports all types of records.
      const whole = new RegExp(
        `^export type \\* as \\w+ from '[./]+${file.replace('src', '')}'`,
        'm',
      );
      if (importers.some(({ source }) => whole.test(source))) return [];
      return [...own.matchAll(declared)]
        .map(([, name = '']) => name)
        .filter((name) => !(ownUse && own.split(new RegExp(`\\b${name}\\b`)).length > 2))
        .filter((name) => !importers.some(({ source }) => new RegExp(`\\b${name}\\b`).test(source)))
        .map((name) => `${file}: ${name}`);
    });

  it('are each used by another file', () => {
    expect(unusedBy(users, false)).toEqual([]);
  });

  it('are each used by the program: code that only tests call is dead', () => {
    const program = users.filter(({ isTest }) => !isTest);
    expect(unusedBy(program, true)).toEqual([]);
  });
});

describe('the name of an exported type', () => {
  it('means one thing in the client', () => {
    const places = new Map<string, string[]>();
    for (const [file, source] of sources) {
      if (roomOf(file) === 'emulator' || file.endsWith('/schema/types.ts')) continue;
      for (const [, name = ''] of source.matchAll(
        /^export (?:interface|type|(?:abstract )?class) (\w+)/gm,
      ))
        places.set(name, [...(places.get(name) ?? []), file]);
    }
    expect(places.size).toBeGreaterThan(200);
    expect([...places].filter(([, within]) => within.length > 1)).toEqual([]);
  });
});

describe('libraries', () => {
  const OWNERS: Readonly<Record<string, readonly string[]>> = {
    undici: ['src/api/http'],
    conf: ['src/settings/conf.ts'],
    'csv-parse': ['src/formats/spreadsheet/csv-reader.ts'],
    'jsonc-parser': ['src/text/json.ts'],
    'fastest-levenshtein': ['src/text/closest.ts'],
    'cli-table3': ['src/ui/table.ts'],
    'string-width': ['src/ui/width.ts'],
    ora: ['src/ui'],
    '@napi-rs/keyring': ['src/credentials/keychain-child.ts'],
    'cross-spawn': ['src/cli/run-command.ts'],
    'libxml2-wasm': ['src/metadata/libxml2.ts', 'src/metadata/xml.ts'],
    'hyparquet-writer': ['src/metadata/tables/parquet.ts'],
    commander: [
      'src/program.ts',
      'src/cli/declare.ts',
      'src/cli/help.ts',
      'src/cli/option-types.ts',
      'src/cli/options.ts',
      'src/cli/wrong-command-line.ts',
      'src/commands/completion/tree.ts',
    ],
  };
  const libraries = arrows.filter(
    ({ target }) => !target.startsWith('src/') && !target.startsWith('node:'),
  );

  it('have an owner each', () => {
    expect([...new Set(libraries.map(({ target }) => target))].sort()).toEqual(
      Object.keys(OWNERS).sort(),
    );
  });

  it('are all in the table of docs/dev/architecture.md', () => {
    const names = ['package.json', '.ci/packages/package.json'].flatMap((path) => {
      const manifest = JSON.parse(readFileSync(path, 'utf8'));
      return Object.keys({
        ...manifest.devDependencies,
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
      });
    });
    const [, table = ''] = readFileSync('docs/dev/architecture.md', 'utf8').split('## Libraries');
    const listed = table.split(/[\s,|]+/);
    const missing = names.filter((name) => !name.startsWith('@types/') && !listed.includes(name));
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(OWNERS))('lets only its owner import %s', (library, owners) => {
    const users = libraries.filter(({ target }) => target === library).map(({ file }) => file);
    expect(users.filter((file) => !isIn(owners, file))).toEqual([]);
    expect(owners.filter((owner) => !users.some((file) => isIn([owner], file)))).toEqual([]);
  });
});

describe('the style', () => {
  // Generated code is left as it is.
  const GENERATED = existing('src/harvest/page/scan-code.ts');
  const written = ['src', 'bin', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name).replaceAll('\\', '/'))
      .filter((file) => /\.(ts|m?js)$/.test(file) && !GENERATED.includes(file))
      .filter(
        (file) => !/\/(schema\/(types\.ts|attributes\.js)|store\/ledger-code\.js)$/.test(file),
      )
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').trimEnd().split('\n') })),
  );

  it('has no line of more than 100 columns', () => {
    const wide = written.flatMap(({ file, lines }) =>
      lines.flatMap((line, at) => ([...line].length > 100 ? [`${file}:${at + 1}`] : [])),
    );
    expect(wide).toEqual([]);
  });

  it('has no file of more than 300 lines', () => {
    const long = written.filter(({ lines }) => lines.length > 300).map(({ file }) => file);
    expect(long).toEqual([]);
  });
});

describe('the documents for developers', () => {
  const paths = ['bin', 'scripts', 'src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?[jt]s$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
  const words = new Set(
    [...paths, 'vitest.config.ts'].flatMap(
      (path) => readFileSync(path, 'utf8').match(/\w+/g) ?? [],
    ),
  );
  const NAME = /^([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]+(_[A-Z]+)*)(?=$|\()/;

  it.each([
    'CONTRIBUTING.md',
    'docs/dev/architecture.md',
    'docs/dev/edits.md',
    'docs/dev/emulator-differences.md',
  ])('name only files and code that exist: %s', (document) => {
    const text = readFileSync(document, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
    const files = quoted.filter((code) => /^(?!dist\/)[\w./-]+\.m?[jt]s$/.test(code));
    const names = quoted.flatMap((code) => NAME.exec(code)?.[1] ?? []);
    expect(names.length).toBeGreaterThan(0);
    expect([
      ...files.filter(
        (file) => ![...paths, 'vitest.config.ts'].some((path) => `/${path}`.endsWith(`/${file}`)),
      ),
      ...names.filter((name) => !words.has(name)),
    ]).toEqual([]);
  });
});

describe('the process', () => {
  // Locks name the process that holds them, and settings belong to a user: facts that only the
  // process knows.
  const KNOWN = `src/main.ts src/credentials/keychain-relay.ts src/disk/lock/lock-file.ts
    src/disk/ownership.ts src/settings/conf.ts`.split(/\s+/);

  it('is left to main, to the child that is a process of its own, and to what names a process or a user', () => {
    const users = files.filter((file) =>
      /\bprocess\.[a-z]|\bconsole\.|'node:process'/.test(sources.get(file) ?? ''),
    );
    expect(users.sort()).toEqual(KNOWN.sort());
  });
});
