import { CliError } from '../../errors.ts';
import type { Span } from '../walk/creation-time.ts';
import type { JobLimit } from '../windows/job-limit.ts';
import { Window } from '../windows/window.ts';
import type { FetchPacked, PackedPage } from './packed-page.ts';

// As the walk asks for a page that may have to be a smaller one.
const RETRIES = 2;

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
  /** The service did not accept the credentials, as far as this answer says. */
  refusal?: CliError;
  bytes: number;
  /** Whether every other page of the list had been asked for before. */
  readonly isAfterAll: boolean;
  /** The records of the window before it. */
  readonly heldBefore: number;
}

export interface RequestPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  readonly jobs: JobLimit;
  readonly pageSize: number;
}

/** Asks for the next page of a window before its turn. */
export function request(port: RequestPort, window: ListWindow, cursor: string, isAfterAll: boolean): Answer {
  const span = { from: window.from, to: window.to };
  const abort = new AbortController();
  const onTime = (ms: number) => port.jobs.note(ms);
  const onFailure = (error: unknown) => {
    if (error instanceof CliError && error.kind === 'credentials') answer.refusal = error;
    return undefined;
  };
  const url = port.url(span, cursor, port.pageSize);
  const packed = port.fetch(url, { signal: abort.signal, retries: RETRIES, onTime }).catch(onFailure);
  const answer: Answer = { cursor, span, abort, packed, bytes: 0, isAfterAll, heldBefore: window.held };
  window.answers.push(answer);
  return answer;
}
