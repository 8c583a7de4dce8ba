import type { JSX } from 'preact';
import { describeTime } from './describe-time.ts';

/** A time on a page, which the browser writes as its reader does. `at` is ISO 8601 UTC. */
export function Time({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} data-show="moment">
      {describeTime(at)}
    </time>
  );
}
