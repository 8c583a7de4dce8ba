/** A published dist/ on another machine. One plain object per kind of source. */
export interface DistSource {
  /** Its name in messages, without a password. */
  name: string;
  /**
   * Reads a file.
   *
   * @param limit the most bytes that it may have
   * @param signal aborts it
   * @throws DistError
   */
  read(file: string, limit: number, signal: AbortSignal): Promise<Buffer>;
}
