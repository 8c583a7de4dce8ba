/** Far more than any condition needs. */
const MAX_WAIT_MS = 300_000;

/**
 * Waits until a condition holds.
 *
 * @throws after five minutes
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
