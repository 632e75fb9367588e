#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write(
    'error: doi-cli is not built, as after an installation from its sources with --ignore-scripts\n' +
      'hint: install it again without --ignore-scripts, or run "npm install && npm run build" in its folder\n',
  );
  process.exitCode = 1;
}
