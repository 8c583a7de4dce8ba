import type { ServerResponse } from 'node:http';

/** Does something once when a response is closed: at once where it is already, which nothing else tells whoever begins to send then. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}
