import type { ServerResponse } from 'node:http';

/** Answers of this size or more are rare, and have memory of their own. */
const SIZE = 64 * 1024;

let memory = Buffer.allocUnsafeSlow(SIZE);

/** Memory to put an answer together in. It is lent until the next answer: who needs it for longer copies it. */
export function lendMemory(length: number): Buffer {
  // Never the whole of it, which `detach` would take for bytes that are nobody else's.
  return length < SIZE ? memory.subarray(0, length) : Buffer.allocUnsafeSlow(length);
}

/** Ends a response. Where its socket does not take lent memory at once, the next answer gets other. */
export function endResponse(response: ServerResponse, bytes: Buffer): void {
  const isLent = bytes.buffer === memory.buffer;
  const isNext = response.socket?.writableLength === 0;
  // Answers that wait for others would each keep a whole memory for their few bytes.
  response.end(isLent && !isNext ? detach(bytes) : bytes);
  if (isLent && isNext && response.writableLength > 0) memory = Buffer.allocUnsafeSlow(SIZE);
}

/** Bytes that nobody else writes over, and that keep no larger block of memory alive, as a slice of a file would. */
export function detach(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
}
