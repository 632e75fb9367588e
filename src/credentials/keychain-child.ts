import { randomUUID } from 'node:crypto';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { KeychainFailure, KeychainReply, KeychainRequest } from './keychain.ts';

/*
 * The program that talks to the keychain, and the only one that loads the binding: a process of its own, because
 * a D-Bus socket that never answers blocks the binding's constructor without end. A thread does the talking, so
 * that the process still notices when its parent has gone, and then ends too.
 */
const SERVICE = 'doi-cli';

function relay(): void {
  const worker = new Worker(new URL(import.meta.url));
  process.on('message', (request) => worker.postMessage(request));
  worker.on('message', (reply) => process.send?.(reply));
  // A blocked thread cannot be stopped in any other way.
  const end = () => process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', end);
  // The parent may have gone while this module was being loaded.
  if (!process.connected) end();
  // Ctrl-C reaches the whole foreground group; what is being stored is stored, and the parent decides when to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
}

function serve(): void {
  parentPort?.on('message', async (request: KeychainRequest) => {
    parentPort?.postMessage(await carryOut(request, (reply) => parentPort?.postMessage(reply)));
  });
}

async function carryOut(
  request: KeychainRequest,
  tell: (reply: KeychainReply) => void,
): Promise<KeychainReply> {
  let opened = false;
  try {
    const { Entry } = await import('@napi-rs/keyring');
    // Of its own, so that runs side by side do not take each other's away.
    const account = request.op === 'check' ? `check ${randomUUID()}` : request.account;
    // Without the pin the binding falls back to the kernel keyring, which forgets at the next boot.
    const entry = new Entry(SERVICE, account, { linux: { store: 'secret-service' } });
    opened = true;
    tell({ opened });
    switch (request.op) {
      case 'get':
        return { value: entry.getPassword() };
      case 'delete':
        return { value: entry.deletePassword() };
      case 'set':
        entry.setPassword(request.secret);
        return { value: true };
      case 'check':
        entry.setPassword('nothing of value');
        entry.deletePassword();
        return { value: true };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { failure: failureOf(reason, opened), reason };
  }
}

/**
 * The binding gives every error the same code, so its words are all there is: those of the Secret Service
 * ("unlock prompt was dismissed", "no result found" for a service without a keyring), of D-Bus, of macOS.
 */
function failureOf(reason: string, opened: boolean): KeychainFailure {
  if (/prompt was dismissed|\block(ed)?\b|interaction is not allowed/i.test(reason)) return 'locked';
  // A service that is there and frozen: D-Bus itself gives up on it after two seconds.
  if (/not receive a reply|NoReply|timed out/i.test(reason)) return 'hanging';
  if (/access ?denied|permission denied|not permitted|rejected send/i.test(reason)) return 'refused';
  if (!opened || /no result found|ServiceUnknown|not provided by any/i.test(reason)) return 'missing';
  return 'refused';
}

if (isMainThread) relay();
else serve();
