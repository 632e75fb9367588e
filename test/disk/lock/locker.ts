import { acquireLock } from '../../../src/disk/lock/lock.ts';

// Waits for a line on its input, takes the lock, reports it, and holds the lock until its input
// ends.
const [, , path = ''] = process.argv;
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
try {
  const lock = await acquireLock(path);
  process.stdout.write(`held ${process.pid}\n`);
  await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  await lock.release();
  process.stdout.write('released\n');
} catch (error) {
  process.stdout.write(`refused ${(error as Error).message}\n`);
}
process.exit(0);
