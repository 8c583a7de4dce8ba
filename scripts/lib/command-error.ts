/** An expected failure of a command: its message is for people and ends the command with `exitCode`. */
export class CommandError extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 what was asked for could not be done, 2 wrong usage */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
