import type { JSX } from 'preact';
import type { Asked } from './use-reply.ts';

/** Shows that a request failed, with why and what to do; nothing while all is well. */
export function ReplyProblem({ asked }: { asked: Asked }): JSX.Element | null {
  const { reply, again } = asked;
  if (reply?.problem === undefined || reply.status === 401) return null;
  return (
    <div role="alert">
      <p>{reply.problem}</p>
      {(reply.status === 0 || reply.status === 429 || reply.status >= 500) && (
        <p>
          <button type="button" onClick={again}>
            Try again
          </button>
          {reply.retryAfter !== undefined && ` in ${reply.retryAfter} s`}
        </p>
      )}
    </div>
  );
}
