// Rolls the declarations of the library up into one file, src/core/api.d.ts, which is published as it is and says
// what the library promises. Run it after a change of the library on purpose: npm run api
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = fileURLToPath(new URL('..', import.meta.url));
const declarations = join(root, 'src', 'core', 'api.d.ts');
const require = createRequire(import.meta.url);
const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['es2023', 'dom'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};

/** The public declarations of the library in its present sources. */
export function publicDeclarations() {
  const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-api-'));
  try {
    emitInto(scratch);
    const output = join(scratch, 'api.d.ts');
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: root,
        mainEntryPointFilePath: join(scratch, 'core', 'index.d.ts'),
        compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS } },
        newlineKind: 'lf',
        apiReport: { enabled: false, reportFileName: 'unused' },
        docModel: { enabled: false },
        tsdocMetadata: { enabled: false },
        dtsRollup: { enabled: true, publicTrimmedFilePath: output },
      },
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, 'package.json'),
    });
    const { succeeded } = Extractor.invoke(config, { messageCallback: silence, localBuild: true });
    if (!succeeded) throw new Error('the declarations of the library cannot be rolled up');
    return formatted(readable(readFileSync(output, 'utf8')));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Only errors matter: a test says whether programs can use the types. */
function silence(message) {
  if (message.logLevel !== 'error') message.handled = true;
  if (/^(ae-|tsdoc-)/.test(message.messageId)) Object.assign(message, { handled: true, logLevel: 'none' });
}

function emitInto(scratch) {
  const config = join(scratch, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: scratch,
    rootDir: join(root, 'src'),
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files: [join(root, 'src', 'core', 'index.ts')],
    }),
  );
  execFileSync(
    process.execPath,
    [join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc'), '--project', config],
    { cwd: root, stdio: 'inherit' },
  );
}

/** Without what is left of members that are not public, and without references to documents that are not published. */
function readable(text) {
  return text
    .replace(/^ *\/\* Excluded from this release type: .*\*\/\n/gm, '')
    .replace(/ \(service\.md, [A-Z0-9, ]+\)/g, '');
}

/** As the other sources are formatted. */
function formatted(text) {
  const biome = require.resolve('@biomejs/biome/bin/biome');
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=src/core/api.d.ts'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(declarations, publicDeclarations());
}
