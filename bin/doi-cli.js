#!/usr/bin/env node
// Plain syntax, so that old versions of Node can print what is wrong.
const OLDEST = [20, 18];

// Node would print a crash with everything in its error, secrets included. The program replaces
// this handler with a better one.
process.on('uncaughtException', (error) => {
  explain(error);
  process.exit(1);
});

const argv = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  fail(
    `needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}`,
    'install a newer version from https://nodejs.org/',
  );
} else if (!isVersion() || !printVersion()) {
  import('../dist/main.js').then(({ runProcess }) => runProcess(argv)).catch(explain);
}

function isVersion() {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
}

// Installers and scripts often ask for the version, and loading the program would double the time.
// If stdout cannot be written, the program reports why.
function printVersion() {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    return false;
  }
}

// For a missing or damaged part of the program, where Node would print its source.
function explain(error) {
  const isUnbuilt =
    error?.code === 'ERR_MODULE_NOT_FOUND' &&
    /dist.main\.js'/.test(error.message.split(' imported from')[0]);
  if (isUnbuilt) {
    fail(
      'is not built, as in a clone of its repository',
      'run "npm ci && npm run build" in its folder',
    );
  } else if (error?.code === 'EMFILE') {
    fail('cannot start: too many files are open', 'allow more, for example: ulimit -n 256');
  } else {
    const [name = 'Error'] = /^\w{1,40}$/.exec(error?.code || error?.name) || [];
    fail(`cannot start (${name})`, 'install it again');
  }
}

function fail(problem, hint) {
  process.stderr.write(`error: doi-cli ${problem}\nhint: ${hint}\n`);
  process.exitCode = 1;
}
