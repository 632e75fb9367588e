/**
 * The core of doi-cli for programs: it reads DOIs of the DataCite service and copies of them on
 * disk. It reads no environment and no settings, and prints nothing.
 *
 * @packageDocumentation
 */

export type { Rate } from '../api/http/rate-limiter.ts';
export type { SentRequest } from '../api/http/sent-request.ts';
export type { DoiQuery } from '../core/filters.ts';
export { CliError as DoiCliError, type ErrorKind, type Problem } from '../errors.ts';
export type { HarvestReceipts, Receipt } from '../harvest/store/receipt.ts';
export type * as Metadata from '../metadata/schema/types.ts';
export { type CallOptions, Client } from './client.ts';
export type { ClientCredentials, ClientOptions } from './client-options.ts';
export { countDois, getAccount, getDoi } from './dois.ts';
export {
  type CopyCallOptions,
  type CopyDifferences,
  type ExportedTables,
  type ExportTablesOptions,
  exportTables,
  type HarvestOptions,
  harvest,
  verify,
} from './harvest.ts';
export { type ListOptions, listDois, listPages } from './lists.ts';
export {
  type CopyRecord,
  type ReadCopyOptions,
  readCopy,
  readReceipts,
} from './read-copy.ts';
export type { DoiAttributes, DoiRecord } from './record.ts';
export { type DoiFinding, validate } from './validate.ts';
