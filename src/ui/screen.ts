import type { Readable } from 'node:stream';
import type { Messages } from './messages.ts';
import type { Sink } from './sink.ts';

/** What input and progress need of a run: its streams, its messages, and what the terminal can do. */
export interface Screen {
  readonly host: {
    readonly stdin: Readable;
    readonly stderr: Sink;
    readonly terminal: { readonly stderr: boolean; readonly columns: number };
    readonly signal: AbortSignal;
    readonly now: () => number;
  };
  readonly options: { readonly quiet?: boolean; readonly verbose?: boolean };
  readonly messages: Messages;
  /** True when colours are wanted. */
  readonly color: boolean;
}
