import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import type { LedgerData } from '../../src/harvest/store/ledger-data.ts';
import type { Receipt } from '../../src/harvest/store/receipt.ts';

/** A directory for a harvest, removed with the test. */
export function newDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'doi-cli-harvest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'copy');
}

/** The names of the part files, in order. */
export function partsIn(dir: string): string[] {
  return readdirSync(join(dir, 'data')).sort();
}

/** The lines of all part files, sorted by their bytes. */
export function linesIn(dir: string): string[] {
  const texts = partsIn(dir).map((name) => {
    const bytes = readFileSync(join(dir, 'data', name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  });
  return sortedLines(texts.join(''));
}

export function sortedLines(text: string): string[] {
  return text.split('\n').slice(0, -1).sort();
}

export function ledgerIn(dir: string): LedgerData {
  return JSON.parse(readFileSync(join(dir, '_harvest', 'ledger.json'), 'utf8')) as LedgerData;
}

export function receiptIn(dir: string, generation = 1): Receipt {
  const name = `receipt-g${String(generation).padStart(4, '0')}.json`;
  return JSON.parse(readFileSync(join(dir, '_harvest', name), 'utf8')) as Receipt;
}
