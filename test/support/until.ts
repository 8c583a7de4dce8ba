/** Far more than anything takes that is waited for. */
const LONGEST_WAIT_MS = 300_000;

/**
 * Waits until something is so.
 *
 * @throws where it never is, after five minutes
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it never came about: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
