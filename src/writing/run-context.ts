import type { ReadContext } from '../formats/input/source.ts';

/** The parts of a command's context that reading, checking and writing records needs. */
export interface RunContext extends ReadContext {
  readonly host: ReadContext['host'] & {
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
