// The program of a thread that writes tables: see threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { toCliError } from '../../errors.ts';
import { CurrentRecords } from '../store/current-records.ts';
import { type BatchTask, updateBatch } from './export-batch.ts';
import type { ThreadData } from './threads.ts';

const { words, target } = workerData as ThreadData;
const current = new CurrentRecords(words);
// A run that stops terminates its threads.
const { signal } = new AbortController();

parentPort?.on('message', async (task: BatchTask) => {
  try {
    parentPort?.postMessage({ made: await updateBatch(task, current, target, signal) });
  } catch (error) {
    const { kind, message, hint } = toCliError(error);
    parentPort?.postMessage({ error: { kind, message, hint } });
  }
});
