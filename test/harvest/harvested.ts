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

/** The lines of one part file. */
export function linesOf(dir: string, name: string): string[] {
  const bytes = readFileSync(join(dir, 'data', name));
  return linesOfText((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
}

/** The lines of all part files, sorted. */
export function linesIn(dir: string): string[] {
  return partsIn(dir)
    .flatMap((name) => linesOf(dir, name))
    .sort();
}

export function sortedLines(text: string): string[] {
  return linesOfText(text).sort();
}

function linesOfText(text: string): string[] {
  // A last line without its newline stays a line, so that a test notices it.
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

export function ledgerIn(dir: string): LedgerData {
  return JSON.parse(readFileSync(join(dir, '_harvest', 'ledger.json'), 'utf8')) as LedgerData;
}

export function receiptIn(dir: string, generation = 1): Receipt {
  const name = `receipt-g${String(generation).padStart(4, '0')}.json`;
  return JSON.parse(readFileSync(join(dir, '_harvest', name), 'utf8')) as Receipt;
}
