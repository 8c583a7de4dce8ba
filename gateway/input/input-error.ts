/** Input of a person that is refused. The message says what was wrong and what was expected, and is shown to them. */
export class InputError extends Error {
  /** The status of the page that shows it. */
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}
