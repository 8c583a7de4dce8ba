/** Every stable error code with its status and title; the one list that answers, the OpenAPI document and the tests use. */
export const PROBLEMS = {
  'invalid-parameter': { status: 400, title: 'A parameter is not valid' },
  'missing-key': { status: 401, title: 'No API key' },
  'invalid-key': { status: 401, title: 'The API key is not valid' },
  'invalid-link': { status: 403, title: 'The link is not valid' },
  'invalid-signature': { status: 403, title: 'Not signed by the platform' },
  'cross-site': { status: 403, title: 'Sent by another site' },
  'pro-only': { status: 403, title: 'Only for Pro' },
  'unknown-game': { status: 404, title: 'No such game' },
  'unknown-dataset': { status: 404, title: 'No such dataset' },
  'unknown-character': { status: 404, title: 'No such character' },
  'unknown-build': { status: 404, title: 'No such build' },
  'not-found': { status: 404, title: 'No such address' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'uri-too-long': { status: 414, title: 'The address is too long' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },
  'range-not-satisfiable': { status: 416, title: 'The range is outside the file' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'quota-exceeded': { status: 429, title: 'The quota is used up' },
  'too-many-streams': { status: 429, title: 'Too many streams' },
  unavailable: { status: 503, title: 'The service is not available' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A stable error code. */
export type ProblemCode = keyof typeof PROBLEMS;

/** Header fields of an answer. */
export type Headers = Record<string, string | number>;

/** An answer that is an error, thrown anywhere and rendered once, as RFC 9457 `application/problem+json`. */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly members: Record<string, unknown>;
  readonly headers: Headers;

  /**
   * @param detail what was wrong, what was expected
   * @param members further members of the problem document, as `parameter`
   */
  constructor(
    code: ProblemCode,
    detail: string,
    members: Record<string, unknown> = {},
    headers: Headers = {},
  ) {
    super(detail);
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.members = members;
    this.headers = headers;
  }

  /** The problem document. */
  toJSON(): Record<string, unknown> {
    const { status, title } = PROBLEMS[this.code];
    return {
      type: `/problems#${this.code}`,
      title,
      status,
      code: this.code,
      detail: this.message,
      ...this.members,
    };
  }
}

const RETRY_SECONDS = 5;

/** A 503: what cannot be done right now may go well a little later. */
export function unavailable(detail: string): HttpProblem {
  return new HttpProblem('unavailable', detail, {}, { 'Retry-After': RETRY_SECONDS });
}

/** A 403: a free key where a Pro key is needed. It says the same whether the game is there or not. */
export function proOnly(): HttpProblem {
  return new HttpProblem(
    'pro-only',
    'history, snapshots, diffs and events are for Pro keys, and this one is free; to upgrade, ask whoever issued your key for Pro',
  );
}
