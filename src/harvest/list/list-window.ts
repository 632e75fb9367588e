import type { Span } from '../walk/creation-time.ts';
import { Window } from '../windows/window.ts';
import type { PackedPage } from './packed-page.ts';

/** A window of a list, and its pages that wait for their turn. */
export class ListWindow extends Window {
  /** The cursor of the next page to ask for; null behind the last one, undefined if only the walk knows it. */
  next: string | null | undefined = '1';
  /** The answers, the latest of which may be under way. */
  readonly answers: Answer[] = [];

  /** Drops all answers. The walk asks for the next page by itself. */
  drop(): void {
    for (const { abort } of this.answers.splice(0)) abort.abort();
    this.next = undefined;
    this.latest = Number.NaN;
    // The walk may find a further page.
    if (this.state === 'ended') this.state = 'free';
  }
}

export interface Answer {
  readonly cursor: string;
  readonly span: Span;
  readonly abort: AbortController;
  /** Undefined when the request failed: the walk asks again, and judges. */
  readonly packed: Promise<PackedPage | undefined>;
  bytes: number;
  /** Whether every other page of the list had been asked for before. */
  readonly isAfterAll: boolean;
  /** The records of the window before it. */
  readonly heldBefore: number;
}
