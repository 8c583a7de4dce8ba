/** A parameter that is not valid: which, and what was expected. */
export class ParameterError extends Error {
  readonly parameter: string;

  constructor(parameter: string, detail: string) {
    super(detail);
    this.parameter = parameter;
  }
}
