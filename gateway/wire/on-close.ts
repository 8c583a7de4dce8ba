import type { ServerResponse } from 'node:http';

/** Runs `work` once when a response is closed: now when it is closed already, because no event reports that any more. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}

/** Ends a response that has no end of its own when the client closes its side of the connection. */
export function endWithClient(response: ServerResponse): void {
  const { socket } = response;
  const end = () => response.destroy();
  socket?.once('end', end);
  onClose(response, () => socket?.off('end', end));
}
