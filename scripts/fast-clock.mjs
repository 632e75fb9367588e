// Loaded into the built program with --import: its clocks run CLOCK_SPEED times as fast, and its waits are as much
// shorter. What it waits for takes as long as ever, so a time limit needs as many times the seconds.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const speed = Number(process.env.CLOCK_SPEED);
for (const clock of [Date, performance]) {
  const now = clock.now.bind(clock);
  const start = now();
  clock.now = () => start + (now() - start) * speed;
}
const { setTimeout } = globalThis;
globalThis.setTimeout = (callback, ms = 0, ...more) => setTimeout(callback, ms / speed, ...more);
const wait = timers.setTimeout;
timers.setTimeout = (ms = 0, ...more) => wait(ms / speed, ...more);
syncBuiltinESMExports();
