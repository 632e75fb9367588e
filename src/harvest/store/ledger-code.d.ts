import type { SchemaError } from '../../metadata/schema/attributes.js';
import type { LedgerData } from './ledger-data.ts';

/** Checks a ledger by ledger-schema.json (scripts/validators.mjs). */
export declare const validateLedger: {
  (value: unknown): value is LedgerData;
  errors?: readonly SchemaError[] | null;
};
