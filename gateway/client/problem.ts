/** An error of the gateway, as RFC 9457 describes it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /** Stable; for programs: `unknown-game`, `quota-exceeded`. */
  code: string;
  /** What was wrong and what was expected; for people. */
  detail: string;
  /** The parameter that is not valid. */
  parameter?: string;
  /** The unknown ids. */
  ids?: string[];
  'violated-policies'?: string[];
}

/** The response was an error. Its message is the `detail` of the problem. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** Empty if the response was not from the gateway: a proxy may have sent it. */
  readonly code: string;
  readonly problem: Problem | undefined;
  /** The seconds to wait before the next try. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    problem: Problem | undefined,
    retryAfter: number | undefined,
    message = problem?.detail ?? `HTTP status ${status}`,
  ) {
    super(message);
    this.status = status;
    this.code = problem?.code ?? '';
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Reads the error in a response. */
export async function readProblem(response: Response, retryAfter: number | undefined): Promise<ProblemError> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem ? ((await response.json()) as Problem) : undefined;
  if (!isProblem) await response.body?.cancel();
  return new ProblemError(response.status, problem, retryAfter, describeRedirect(response));
}

/** Says that a redirect is not followed; undefined if it is none. A browser hides the status and the target. */
function describeRedirect({ type, status, headers }: Response): string | undefined {
  const target = status >= 300 && status < 400 ? headers.get('location') : null;
  if (type !== 'opaqueredirect' && target === null) return undefined;
  return `the address redirects${target === null ? '' : ` to ${target}`}, and the key is not sent there; give the client the address of the gateway itself`;
}
