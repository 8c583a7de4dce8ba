/** An expected failure of a command: its message is for the person who typed it, one line, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number;

  /**
   * @param message what was wrong and, where it helps, what to do
   * @param exitCode 1 when the command could not do its work, 2 when it was called wrongly
   */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
