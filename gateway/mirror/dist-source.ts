import { DistError } from '../data/dist-folder.ts';

/** A published dist/ on another machine. One plain object per kind of source. */
export interface DistSource {
  /** Its name in messages, without a password. */
  name: string;
  /**
   * Reads a file.
   *
   * @param limit its maximum size in bytes
   * @param signal aborts it
   * @throws DistError
   */
  read(file: string, limit: number, signal: AbortSignal): Promise<Buffer>;
}

/** One file of a source is at fault; the source itself can be reached. */
export class SourceFileError extends DistError {
  /** Whether the source has no such file, or denies access to it. */
  readonly isMissing: boolean;

  constructor(message: string, isMissing = false) {
    super(message);
    this.isMissing = isMissing;
  }
}
