#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  // A part of the program that is missing or damaged: Node would print its source.
  await import(main.href).catch((error) =>
    fail(`cannot start (${error.code ?? error.name})`, 'install it again'),
  );
} else {
  fail(
    'is not built, as after an installation from its sources with --ignore-scripts',
    'install it again without --ignore-scripts, or run "npm install && npm run build" in its folder',
  );
}

function fail(problem, hint) {
  process.stderr.write(`error: doi-cli ${problem}\nhint: ${hint}\n`);
  process.exitCode = 1;
}
