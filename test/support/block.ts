/** Blocks this process for a time, as on a machine that is busy with other work. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
