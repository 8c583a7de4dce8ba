/** An expected failure of a command. The message is printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number;

  /**
   * @param message what is wrong, and what to do about it
   * @param exitCode 1 when the command failed, 2 when its arguments are wrong
   */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns any error as an expected failure; that of a bug has its stack as the message. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
