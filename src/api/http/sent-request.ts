/** A finished attempt at a request. Its texts contain no secrets. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly url: string;
  /** The HTTP status; undefined if no complete answer arrived. */
  readonly status: number | undefined;
  /** Why there is no complete answer; undefined if there is one. */
  readonly problem: string | undefined;
  /** Milliseconds from the request to the end of the answer. */
  readonly ms: number;
  /** 1, or higher for a retry. */
  readonly attempt: number;
}
