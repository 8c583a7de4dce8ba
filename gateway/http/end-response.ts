import type { ServerResponse } from 'node:http';
import { detach, release, reserve } from '../draft.ts';

/** An answer that is there and not sent yet. */
interface Held {
  response: ServerResponse;
  bytes: Buffer | undefined;
  /** What was reserved for the bytes. */
  memory: Buffer | undefined;
}

/** How many answers are held at most. */
const MOST_HELD = 64;

/** Answers that are held back, in the order that they came. */
const held: Held[] = [];

/**
 * Ends a response: once all that is under way at the moment is done, together with the answers that come of it. Who waits for them is woken once
 * and not by each, and the system's code stays hot.
 */
export function endResponse(response: ServerResponse, bytes?: Buffer): void {
  if (held.length === 0) process.nextTick(sendHeld);
  held.push({ response, bytes, memory: bytes && reserve(bytes) });
  if (held.length === MOST_HELD) sendHeld();
}

/** Sends what is held. Memory that a socket has not taken by then is its own. */
function sendHeld(): void {
  for (const { response, bytes, memory } of held) {
    const isNext = response.socket?.writableLength === 0;
    // Answers that wait for others would each keep a whole memory for their few bytes.
    response.end(bytes && memory && !isNext ? detach(bytes) : bytes);
    if (memory && (!isNext || response.writableLength === 0)) release(memory);
  }
  held.length = 0;
}
