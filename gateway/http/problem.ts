import { findNearest } from '../../scripts/text.ts';
import { redactPath } from './log.ts';

/** The attribution that users of the data must show. */
export const ATTRIBUTION =
  'Game Data Read API. The games, their names and their content belong to their publishers.';

/** The address of the terms of use, relative to the gateway. */
export const TERMS = '/terms';

/** Longer texts of clients are shortened in messages. */
const MAX_LENGTH = 64;
const MAX_CANDIDATES = 5000;

/** Names of other APIs, with ours. */
const OTHER_NAMES = new Map([
  ['offset', /^(page|skip|start|cursor)$/i],
  ['limit', /^(per_?page|page_?size|size|top)$/i],
  ['sort', /^(order|sort)(_?by)?$/i],
  ['q', /^(query|search)$/i],
]);

/**
 * Suggests the nearest valid name, for the end of an error message: the name another API uses, one that contains the text as whole words, such as
 * `stats.atk` for `atk`, or the nearest by edits.
 *
 * @returns ` (did you mean "…"?)`, or an empty text if no candidate is near
 */
export function suggest(text: string, candidates: Iterable<string>): string {
  const names: string[] = [];
  for (const name of candidates) if (name !== text && names.push(name) === MAX_CANDIDATES) break;
  const words = wordsIn(text.slice(0, MAX_LENGTH));
  const matches = words === ' ' ? [] : names.filter((name) => wordsIn(name).includes(words));
  const nearest =
    names.find((name) => OTHER_NAMES.get(name)?.test(text) || name === `stats.${text}`) ??
    matches.sort((a, b) => a.length - b.length)[0] ??
    findNearest(text, names);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

const wordsIn = (name: string) => ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;

/** Quotes a client's text for an error message, shortened, and without a key that it may hold. */
export function quote(text: string): string {
  const shown = redactPath(text);
  return JSON.stringify(shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown);
}

/** The status and title of an error code, and further statuses that it can have. */
interface Described {
  status: number;
  title: string;
  also?: Readonly<Record<number, string>>;
}

/** Every stable error code. Responses, the OpenAPI document and the tests all use this list. */
export const PROBLEMS = {
  'invalid-parameter': { status: 400, title: 'A parameter is not valid' },
  'missing-key': { status: 401, title: 'No API key' },
  'invalid-key': { status: 401, title: 'The API key is not valid' },
  'invalid-link': { status: 403, title: 'The link or signature is not valid' },
  'origin-not-allowed': { status: 403, title: 'Not allowed for requests from this site' },
  'pro-only': { status: 403, title: 'Only for Pro' },
  'unknown-game': { status: 404, title: 'No such game' },
  'unknown-dataset': { status: 404, title: 'No such dataset' },
  'unknown-character': { status: 404, title: 'No such character' },
  'unknown-record': { status: 404, title: 'No such record' },
  'unknown-build': { status: 404, title: 'No such build' },
  'not-found': { status: 404, title: 'No such address' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'not-acceptable': {
    status: 406,
    title: 'None of the accepted media types is served here',
    also: { 415: 'The media type is not supported' },
  },
  'too-large': {
    status: 413,
    title: 'The body is too large',
    also: { 414: 'The address is too long', 431: 'The headers are too large' },
  },
  'range-not-satisfiable': { status: 416, title: 'The range is outside the file' },
  'quota-exceeded': { status: 429, title: 'The quota is used up' },
  unavailable: { status: 503, title: 'The service is not available' },
} as const satisfies Record<string, Described>;

export type ProblemCode = keyof typeof PROBLEMS;

export type Headers = Record<string, string | number>;

/** An error response. Any code may throw it; it is sent as `application/problem+json` (RFC 9457). */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly members: Record<string, unknown>;
  readonly headers: Headers;

  /**
   * @param detail what was wrong and what was expected
   * @param members further members of the problem document, such as `parameter`
   * @param status the first of the code's statuses unless it is given
   */
  constructor(
    code: ProblemCode,
    detail: string,
    members: Record<string, unknown> = {},
    headers: Headers = {},
    status: number = PROBLEMS[code].status,
  ) {
    super(detail);
    this.code = code;
    this.status = status;
    this.members = members;
    this.headers = headers;
  }

  toJSON(): Record<string, unknown> {
    const { status } = this;
    const described: Described = PROBLEMS[this.code];
    const title = described.also?.[status] ?? described.title;
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

/** The error for an invalid parameter. @param detail which parameter is invalid, and what was expected */
export function invalidParameter(parameter: string, detail: string): HttpProblem {
  return new HttpProblem('invalid-parameter', detail, { parameter: redactPath(parameter) });
}

/** A 503 for a request that may succeed a little later. */
export function unavailable(detail: string): HttpProblem {
  return new HttpProblem('unavailable', detail, {}, { 'Retry-After': 5 });
}

/** A redirect to the right address, for good. */
export function moved(location: string): HttpProblem {
  const detail = `this is at ${quote(location)}`;
  return new HttpProblem('not-found', detail, {}, { Location: location }, 308);
}

export function statusesOf(code: ProblemCode): readonly number[] {
  const { status, also = {} }: Described = PROBLEMS[code];
  return [status, ...Object.keys(also).map(Number)];
}

/** The error for a body (413), target (414) or head (431) that is too large. */
export function tooLarge(status: 413 | 414 | 431, detail: string): HttpProblem {
  return new HttpProblem('too-large', detail, {}, {}, status);
}

/** The error for a body whose media type is not supported. */
export function unsupported(detail: string, headers: Headers = {}): HttpProblem {
  return new HttpProblem('not-acceptable', detail, {}, headers, 415);
}

/** The 403 for a free key on a Pro endpoint. The text is the same whether or not the game exists. */
export function proOnly(): HttpProblem {
  const detail = 'history, snapshots and diffs are for Pro keys, and this key is free';
  return new HttpProblem('pro-only', `${detail}; to upgrade, ask the operator of this gateway for Pro`);
}

/** A person's input that is refused. The message says what was wrong and what was expected, and is shown to the person. */
export class InputError extends Error {
  /** The status of the page that shows it. */
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}
