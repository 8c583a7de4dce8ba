import { httpSource } from './http-source.ts';

/** A dist/ that was published elsewhere. A plain object a kind of place. */
export interface DistSource {
  /** What messages call it; without a password. */
  name: string;
  /**
   * Reads a file.
   *
   * @param limit how many bytes it may have
   * @throws DistError
   */
  read(file: string, limit: number): Promise<Buffer>;
}

/**
 * Opens a dist/ by its address.
 *
 * @returns undefined where it is a folder of this machine
 */
export async function openSource(address: string): Promise<DistSource | undefined> {
  return /^https?:\/\//i.test(address) ? httpSource(address) : undefined;
}
