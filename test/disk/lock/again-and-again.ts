import { acquireLock } from '../../../src/disk/lock/lock.ts';

// Takes a lock and gives it back, many times. Prints the errors that do not say that another
// process has it.
const [, , path = '', times = '0'] = process.argv;
for (let time = 0; time < Number(times); time += 1) {
  try {
    const lock = await acquireLock(path);
    await lock.check();
    await lock.release();
  } catch (error) {
    const { message } = error as Error;
    if (!message.includes('is in use by')) process.stdout.write(`${message}\n`);
  }
}
process.stdout.write('done\n');
