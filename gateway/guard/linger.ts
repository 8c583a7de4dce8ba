import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of further bytes of a client that are read and dropped. */
const MAX_DROPPED_BYTES = 4 * 1024 * 1024;
/** How long reading them may take, and how long the client may pause. */
const MAX_DROP_MS = 20_000;
const MAX_PAUSE_MS = 2000;
const CHECK_MS = 500;

/** The connections whose further bytes are dropped. The function returns whether all of them were read. */
const dropping = new WeakMap<Socket, () => boolean>();

/** Returns whether the further bytes of a connection are being dropped. */
export function isDropping(socket: Socket): boolean {
  return dropping.get(socket)?.() === false;
}

/**
 * Closes a connection after what is written to it. What the client still sends is read and dropped, within bounds, until the client
 * closes its side: closing a connection with unread bytes resets it, and the client may lose the response (RFC 9112, 9.6).
 */
export function closeGently(socket: Socket): void {
  socket.end();
  if (socket.readableEnded) return;
  socket.resume();
  drop(socket, () => socket.readableEnded);
}

/** Reads and drops the rest of a request's body, within bounds, so that its connection can have the next request. */
export function dropRest(request: IncomingMessage): void {
  request.resume();
  drop(request.socket, () => request.complete);
}

/** Waits until all is read, and destroys the connection when that exceeds the bounds. */
function drop(socket: Socket, isRead: () => boolean): void {
  dropping.set(socket, isRead);
  const start = socket.bytesRead;
  let seen = start;
  let elapsed = 0;
  let paused = 0;
  const timer = setInterval(() => {
    const { bytesRead, writableLength } = socket;
    if (socket.destroyed || isRead()) {
      clearInterval(timer);
      return;
    }
    // The client first reads its response.
    if (writableLength === 0) {
      elapsed += CHECK_MS;
      paused = bytesRead === seen ? paused + CHECK_MS : 0;
    }
    seen = bytesRead;
    const isTooMuch = bytesRead - start > MAX_DROPPED_BYTES || elapsed > MAX_DROP_MS || paused > MAX_PAUSE_MS;
    if (isTooMuch) socket.destroy();
  }, CHECK_MS).unref();
}
