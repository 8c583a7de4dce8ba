/** A dist/ that was published elsewhere. One plain object per kind of place. */
export interface DistSource {
  /** What messages call it; without a password. */
  name: string;
  /**
   * Reads a file.
   *
   * @param limit how many bytes it may have
   * @param signal ends it, wherever it is
   * @throws DistError
   */
  read(file: string, limit: number, signal: AbortSignal): Promise<Buffer>;
}
