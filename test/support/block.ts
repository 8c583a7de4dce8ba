/** Keeps this process from doing anything for a time, as a machine does that is busy with others. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
