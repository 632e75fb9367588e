import type { Worker } from 'node:worker_threads';

/**
 * Passes requests from the parent process to the thread that calls the keychain, and replies back.
 */
export function relay(worker: Worker): void {
  process.on('message', (request) => worker.postMessage(request));
  worker.on('message', (reply) => process.send?.(reply));
  // Nothing else stops a blocked thread.
  const end = () => process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', end);
  // The parent may have gone while this module was loading.
  if (!process.connected) end();
  // Ctrl-C reaches the whole foreground group: storing must finish, and the parent decides when to
  // end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
}
