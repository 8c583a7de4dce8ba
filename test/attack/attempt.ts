/** A request as it is sent. */
export interface SentRequest {
  method: 'GET' | 'POST';
  target: string;
  headers: Record<string, string>;
  body?: string;
}

/** A request whose processor time is measured. */
export interface Attempt {
  /** What it is, in a few words. */
  what: string;
  /** Makes the request: each time one that no cache has the response of, if that is possible. */
  request(): SentRequest;
  /** Makes another attempt that is like this one. */
  alter(): Attempt;
}
