// Runs the program from its sources: npm run dev -- <arguments>
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import writeValidators from './validators.mjs';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const argv = process.argv.slice(2);

if (process.features.typescript) {
  await writeValidators();
  const { runProcess } = await import('../src/main.ts');
  await runProcess(argv);
} else {
  // Node before 22.18 cannot run TypeScript: build, with source maps for the stack traces, and run that.
  const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
  process.exitCode =
    run(path('scripts/build.mjs'), '--dev') || run('--enable-source-maps', path('bin/doi-cli.js'), ...argv);
}
