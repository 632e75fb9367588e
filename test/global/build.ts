import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether dist/ is of the present sources. */
    readonly built: boolean;
  }
}

/**
 * Builds the program before the tests that run it, and in watch mode before they run again: once
 * for all projects. CI says that it is built.
 */
export default function setup(project: TestProject): void {
  const build = () => {
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  };
  if (process.env['IS_BUILT'] !== '1') build();
  process.env['IS_BUILT'] = '1';
  project.onTestsRerun(build);
  project.provide('built', true);
}
