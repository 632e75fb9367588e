// Runs the program from its sources: npm run dev -- <arguments>
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const argv = process.argv.slice(2);

if (process.features.typescript) {
  const { registerHooks } = await import('node:module');
  // The bundle has the keychain's process next to main.js; the sources have it elsewhere.
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith('/src/main.ts')) return loaded;
      const source = String(loaded.source).replace('./keychain-child.js', './credentials/keychain-child.ts');
      return { ...loaded, source };
    },
  });
  process.argv.splice(1, Infinity, path('src/main.ts'), ...argv);
  await import('../src/main.ts');
} else {
  // Node before 22.18 cannot run TypeScript: build, with source maps for the stack traces, and run that.
  const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
  process.exitCode =
    run(path('scripts/build.mjs'), '--dev') || run('--enable-source-maps', path('bin/doi-cli.js'), ...argv);
}
