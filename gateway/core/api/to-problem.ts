import { DistError } from '../catalog/dist-folder.ts';
import { HttpProblem, unavailable } from '../http/problem.ts';
import { ParameterError } from '../lib/raw-query.ts';
import type { Log } from '../log/log.ts';
import { StoreError } from '../store/store.ts';

/** Returns whether an error is the gateway's own fault: a 5xx. */
export function isFault(error: unknown): boolean {
  return !(error instanceof ParameterError || (error instanceof HttpProblem && error.status < 500));
}

/** Returns what the client may know of an error, and logs what the operator has to know. */
export function toProblem(error: unknown, log: Log): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ParameterError) {
    return new HttpProblem('invalid-parameter', error.message, { parameter: error.parameter });
  }
  if (error instanceof DistError) {
    log.error('a file of dist cannot be read', { error: error.message });
    return unavailable('the data of this build cannot be read right now');
  }
  if (error instanceof StoreError) {
    log.error('the store does not respond', { error: error.message });
    return unavailable('accounts cannot be read or changed right now');
  }
  log.error('request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return unavailable('the request failed in the gateway; the failure was logged');
}
