// The declarations of the library, which are published next to it in dist/types.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './bundling.mjs';

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * What TypeScript declares for src/library/index.ts, and for the files of its types. What is
 * `@internal` is left out, and so are references to documents that are not published.
 *
 * @returns {Map<string, string>} texts by their paths, such as library/index.d.ts
 */
export function publicDeclarations() {
  const scratch = mkdtempSync(join(tmpdir(), 'doi-cli-api-'));
  try {
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        noCheck: true,
        outDir: scratch,
        rootDir: join(root, 'src'),
        typeRoots: [join(root, 'node_modules', '@types')],
      },
      include: [],
      files: [join(root, 'src', 'library', 'index.ts')],
    };
    const project = join(scratch, 'tsconfig.json');
    writeFileSync(project, JSON.stringify(config));
    execFileSync(process.execPath, [compiler, '--project', project], {
      cwd: root,
      stdio: 'inherit',
    });
    const found = new Map();
    collect(join(scratch, 'library', 'index.d.ts'), found);
    return new Map(
      [...found].map(([path, text]) => [relative(scratch, path).replaceAll('\\', '/'), text]),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A declaration and those that it imports. */
function collect(/** @type {string} */ path, /** @type {Map<string, string>} */ found) {
  if (found.has(path)) return;
  const text = readFileSync(path, 'utf8')
    .replace(/ ?\(service\.md,\s[\s*A-Z0-9,]+\)/g, '')
    .replace(/(from '\.[^']*)\.ts'/g, "$1.js'");
  found.set(path, text);
  for (const [, name] of text.matchAll(/from '(\.[^']*)\.js'/g)) {
    collect(resolve(dirname(path), `${name}.d.ts`), found);
  }
}
