import type { ServerResponse } from 'node:http';

/** Runs `work` once when a response closes; immediately if it is closed already, because then no event follows. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}
