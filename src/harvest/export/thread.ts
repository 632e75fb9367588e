// The program of a thread that writes tables: see threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { toCliError } from '../../errors.ts';
import { CurrentRecords } from '../store/current-records.ts';
import { updatePart } from './export-part.ts';
import type { Task, ThreadData } from './threads.ts';

const { words, folder } = workerData as ThreadData;
const current = new CurrentRecords(words);
// A run that stops terminates its threads.
const { signal } = new AbortController();

parentPort?.on('message', async ({ part, before }: Task) => {
  try {
    parentPort?.postMessage({ made: await updatePart(part, before, current, folder, signal) });
  } catch (error) {
    const { kind, message, hint } = toCliError(error);
    parentPort?.postMessage({ error: { kind, message, hint } });
  }
});
