import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Everything a build depends on. */
const SOURCES = ['src', 'scripts', 'package.json', 'package-lock.json'];

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether dist/ is of the present sources. */
    readonly built: boolean;
  }
}

/** Builds the program before the tests that run it, and in watch mode before they run again. */
export default function setup(project: TestProject): void {
  const build = () => {
    if (newest(SOURCES) >= builtAt()) {
      execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
    }
  };
  build();
  project.onTestsRerun(build);
  project.provide('built', true);
}

/** When the build that is in dist/ began, in milliseconds; 0 without one. */
function builtAt(): number {
  const main = join(ROOT, 'dist', 'main.cjs');
  return existsSync(main) ? statSync(main).mtimeMs : 0;
}

/** The latest change of any of these, or of anything in them; a file that was removed has changed its directory. */
function newest(names: readonly string[]): number {
  const paths = names.flatMap((name) => {
    const path = join(ROOT, name);
    const inside = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
    return [path, ...inside.map((entry) => join(path, String(entry)))];
  });
  return Math.max(...paths.map((path) => statSync(path).mtimeMs));
}
