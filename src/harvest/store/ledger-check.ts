import { validateLedger } from './ledger-code.js';
import type { LedgerData } from './ledger-data.ts';

/** Why a parsed JSON document is not a ledger; undefined when it is one. */
export function ledgerProblem(value: unknown): string | undefined {
  if (validateLedger(value)) return ambiguity(value);
  const [{ instancePath = '', params = {}, parentSchema = {} } = {}] = validateLedger.errors ?? [];
  // Numbers are indexes, and no name has a slash.
  const at = `ledger${instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`;
  const missing = params['missingProperty'];
  return missing === undefined
    ? `${at} is not ${parentSchema['description']}`
    : `${at}.${missing} is missing`;
}

/** Finds windows with the same part file, which would overwrite each other. */
function ambiguity({ generations }: LedgerData): string | undefined {
  const names = generations.flatMap(({ number, windows }) => {
    const generation = `generation ${number}`;
    return [generation, ...windows.map(({ index }) => `window ${index} of ${generation}`)];
  });
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return `${name} is there twice`;
    seen.add(name);
  }
  return undefined;
}
