import { listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';

// With the start of the program, a shell waits about two seconds.
const MOST_MS = 1500;

/**
 * Prints a line for each active key: its name, or its prefix if the name is not unique or is hard
 * to type, then a tab and its prefix. Scripts call it at TAB: it asks nothing, and a failure prints
 * nothing. Unless the setting `complete-keys` is true, it sends nothing.
 */
export async function completeKeysCommand(context: Context): Promise<void> {
  context.messages.configure({ json: false, quiet: true });
  const { sleep, signal } = context.host;
  const late = sleep(MOST_MS, signal).then(() => []);
  const lines = await Promise.race([linesOf(context), late]).catch(() => []);
  await context.host.stdout.write(lines.join(''));
}

async function linesOf(context: Context): Promise<readonly string[]> {
  const { 'complete-keys': allows } = await context.profile();
  if (allows !== 'true') return [];
  const { http } = await context.service('keys');
  const keys = await listKeys(http, false, { retries: 0 });
  const names = keys.map(({ attributes }) => attributes.name);
  return keys.flatMap(({ attributes: { name, keyPrefix, revokedAt } }) => {
    const isUsable = /^[^-\p{C}][^\p{C}]*$/u.test(name) && name.trim() === name;
    const isUnique = names.indexOf(name) === names.lastIndexOf(name);
    if (revokedAt || !/^[\w.-]+$/.test(keyPrefix)) return [];
    return `${isUsable && isUnique ? name : keyPrefix}\t${keyPrefix}\n`;
  });
}
