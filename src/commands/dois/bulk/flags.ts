import type { Event } from '../../../api/states.ts';

export interface BulkFlags {
  readonly event?: Event;
  readonly prefix?: string;
  readonly jobs?: number;
  readonly rate?: { readonly requests: number; readonly windowMs: number };
  readonly ledger?: string;
  readonly failFast?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-validate`. */
  readonly validate?: boolean;
}
