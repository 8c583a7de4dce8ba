/** An invalid parameter: which one, and what was expected. */
export class ParameterError extends Error {
  readonly parameter: string;

  constructor(parameter: string, detail: string) {
    super(detail);
    this.parameter = parameter;
  }
}
