/** An attempt at a request, once it is over. No text of it has a secret. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly url: string;
  /** The HTTP status; undefined where no whole answer arrived. */
  readonly status: number | undefined;
  /** Why there is no whole answer; undefined where there is one. */
  readonly problem: string | undefined;
  /** Milliseconds from the request to the end of the answer. */
  readonly ms: number;
  /** 1, or more for a retry of a request. */
  readonly attempt: number;
}
