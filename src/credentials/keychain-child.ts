import { randomUUID } from 'node:crypto';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { KeychainFailure, KeychainReply, KeychainRequest, KeychainStep } from './keychain.ts';
import { relay } from './keychain-relay.ts';

/*
 * The program that talks to the keychain; only it loads the binding. It is a separate process,
 * because a D-Bus socket that never answers blocks the binding's constructor forever. A thread
 * calls the binding, so that the main thread still notices when the parent has gone, and ends.
 */
const SERVICE = 'doi-cli';

async function perform(request: KeychainRequest): Promise<KeychainReply> {
  let step: KeychainStep = 'load';
  const begin = (next: KeychainStep) => {
    step = next;
    parentPort?.postMessage({ step } satisfies KeychainReply);
  };
  try {
    const { Entry } = await import('@napi-rs/keyring');
    begin('open');
    // A random name, so that concurrent runs do not delete each other's secret.
    const account = request.op === 'check' ? `check ${randomUUID()}` : request.account;
    // By default the binding falls back to the kernel keyring, which is lost at the next boot.
    const entry = new Entry(SERVICE, account, { linux: { store: 'secret-service' } });
    begin('ask');
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
    return { failure: failureOf(reason, step), reason };
  }
}

/** Distinguishes failures by their messages: the binding gives every error the same code. */
function failureOf(reason: string, step: KeychainStep): KeychainFailure {
  // If the binding is missing, or there is none for this platform, the message mentions
  // package-lock.json.
  if (step === 'load') return 'missing';
  if (/prompt was dismissed|\block(ed)?\b|interaction is not allowed/i.test(reason))
    return 'locked';
  // The service is frozen: D-Bus gives up after two seconds.
  if (/not receive a reply|NoReply|timed out/i.test(reason)) return 'hanging';
  if (/access ?denied|permission denied|not permitted|rejected send/i.test(reason))
    return 'refused';
  if (step === 'open' || /no result found|ServiceUnknown|not provided by any/i.test(reason))
    return 'missing';
  return 'refused';
}

if (isMainThread) relay(new Worker(new URL(import.meta.url)));
else {
  parentPort?.on('message', async (request: KeychainRequest) => {
    parentPort?.postMessage(await perform(request));
  });
}
