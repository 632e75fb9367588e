import type { Readable } from 'node:stream';

/** What reading, checking and writing records needs of a run. */
export interface RunContext {
  readonly host: {
    readonly stdin: Readable;
    readonly signal: AbortSignal;
    readonly now: () => number;
    readonly random: () => number;
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly options: { readonly retries: number };
  readonly redactor: { mask(text: string): string };
  readonly messages: { note(text: string): void; trace(text: string): void };
  /** A command to type next, for the same service and profile. */
  suggest(...words: readonly string[]): string;
}
