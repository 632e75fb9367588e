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
  // A CommonJS module: for the version and the help, Node need not start its loader of ES modules.
  try {
    require('../dist/main.cjs').running.catch(explain);
  } catch (error) {
    explain(error);
  }
}

// A part of the program that is missing or damaged: Node would print its source.
function explain(error) {
  const isUnbuilt = error.code === 'MODULE_NOT_FOUND' && /dist.main\.cjs/.test(error.message.split('\n')[0]);
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
