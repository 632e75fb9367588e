#!/usr/bin/env node
// Syntax that old versions of Node can read, so that they can say what is wrong.
const OLDEST = [20, 18];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  fail(
    `needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}`,
    'install a newer version from https://nodejs.org/',
  );
} else {
  import('../dist/main.js').catch(explain);
}

// A part of the program that is missing or damaged: Node would print its source.
function explain(error) {
  const isUnbuilt =
    error.code === 'ERR_MODULE_NOT_FOUND' && /dist.main\.js/.test(error.message.split(' imported ')[0]);
  if (isUnbuilt) {
    fail(
      'is not built, as after an installation from its sources with --ignore-scripts',
      'install it again without --ignore-scripts, or run "npm install && npm run build" in its folder',
    );
  } else {
    fail(`cannot start (${error.code || error.name})`, 'install it again');
  }
}

function fail(problem, hint) {
  process.stderr.write(`error: doi-cli ${problem}\nhint: ${hint}\n`);
  process.exitCode = 1;
}
