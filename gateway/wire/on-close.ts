import type { ServerResponse } from 'node:http';

/** Runs `work` once when a response is closed: now when it is closed already, because no event reports that any more. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}
