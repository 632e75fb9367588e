import type { LedgerData, LedgerWindow } from '../../../src/harvest/store/ledger-data.ts';

export function ledgerWindow(change: Partial<LedgerWindow> = {}): LedgerWindow {
  return {
    index: 0,
    from: null,
    to: null,
    count: 0,
    cursor: null,
    bytes: 0,
    records: 0,
    done: false,
    gaps: [],
    ...change,
  };
}

export function ledgerData(...windows: LedgerWindow[]): LedgerData {
  return {
    version: 1,
    fingerprint: 'f',
    query: {
      baseUrl: 'https://api.example.org',
      params: [['client-id', 'demo.repo']],
      account: null,
    },
    shard: null,
    gzip: false,
    generations: [
      {
        number: 1,
        kind: 'full',
        startedAt: '2026-01-01T00:00:00.000Z',
        totalAtStart: windows.reduce((sum, { count }) => sum + count, 0),
        retries: 0,
        problems: [],
        windows,
      },
    ],
  };
}
