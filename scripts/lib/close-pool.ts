import type { Tinypool } from 'tinypool';

/** The longest delay of a timer, in ms. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Ends the processes of a pool, and waits until they have ended. A pool does not reference idle ones: without the timer, this process would
 * end with code 13 while one of them takes long to end.
 */
export async function closePool(pool: Tinypool): Promise<void> {
  const held = setInterval(() => {}, LONGEST_MS);
  try {
    await pool.destroy();
  } finally {
    clearInterval(held);
  }
}
