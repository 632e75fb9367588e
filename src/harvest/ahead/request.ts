import type { JobLimit } from '../../concurrency/job-limit.ts';
import { CliError } from '../../errors.ts';
import type { Span } from '../walk/creation-time.ts';
import type { FetchPacked } from './packed-page.ts';
import type { Answer, Segment } from './segment.ts';

/** What requests before their turn go through. */
export interface RequestPort {
  readonly fetch: FetchPacked;
  url(span: Span, cursor: string, size: number): URL;
  readonly jobs: JobLimit;
  readonly pageSize: number;
}

// As the walk asks for a page that may have to be a smaller one.
const RETRIES = 2;

/**
 * Asks for a page of a segment before its turn. The answer is one of the segment's from now on.
 * @param cursor of the page.
 */
export function request(port: RequestPort, segment: Segment, cursor: string, signal: AbortSignal): Answer {
  const { span, check, records } = segment;
  const size = port.pageSize;
  const url = port.url(span, cursor, size);
  const onTime = (ms: number) => port.jobs.note(ms);
  const onFailure = (error: unknown) => {
    if (error instanceof CliError && error.kind === 'credentials') answer.refusal = error;
    return undefined;
  };
  const packed = port.fetch(url, { signal, retries: RETRIES, onTime }).catch(onFailure);
  const answer: Answer = { cursor, size, span, check, packed, bytes: 0, recordsBefore: records };
  segment.answers.push(answer);
  return answer;
}
