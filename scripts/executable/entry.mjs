// The start of the single executable: the program, or the program that talks to the keychain. Node
// has no other file there, so the executable starts itself as its child, over a channel that a
// command line cannot give it.
import { getAsset } from 'node:sea';
import { Worker } from 'node:worker_threads';

// Node would print a crash with all that its error holds, secrets included. The program then does
// it better.
process.on('uncaughtException', () => {
  process.stderr.write('error: doi-cli cannot start\nhint: install it again\n');
  process.exit(1);
});

const KEYCHAIN_CHILD = 'keychain-child';
const argv = process.argv.slice(2);

if (argv[0] === KEYCHAIN_CHILD && process.connected) {
  import('../../src/credentials/keychain-relay.ts').then(({ relay }) =>
    relay(new Worker(getAsset(KEYCHAIN_CHILD, 'utf8'), { eval: true })),
  );
} else {
  import('../../src/main.ts').then(({ runProcess }) => runProcess(argv, KEYCHAIN_CHILD));
}
