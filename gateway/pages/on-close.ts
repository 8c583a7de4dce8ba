import type { ServerResponse } from 'node:http';

/** Runs `work` once when a response closes; immediately if it is closed already, because then no event follows. */
export function onClose(response: ServerResponse, work: () => void): void {
  if (response.destroyed) work();
  else response.once('close', work);
}

/** Ends a stream, which would not end on its own, when the client closes its side of the connection. */
export function endWithClient(response: ServerResponse): void {
  const { socket } = response;
  const end = () => response.destroy();
  socket?.once('end', end);
  onClose(response, () => socket?.off('end', end));
}
