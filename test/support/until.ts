/** Far more than any condition needs; two of them fit into the time limit of a file. */
const MAX_WAIT_MS = 150_000;

/**
 * Waits until a condition holds.
 *
 * @param pollMs how often it is checked; a condition that is expensive to check needs a longer time
 * @throws after two and a half minutes; the message goes to stderr at once, because a file that is killed at its limit loses its results
 */
export async function until(isSo: () => boolean | Promise<boolean>, pollMs = 5): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) {
      const error = new Error(`waited in vain for: ${isSo}`);
      process.stderr.write(`${error.stack}\n`);
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
