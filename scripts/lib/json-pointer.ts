/** Appends steps to a JSON Pointer. */
export function pointerTo(pointer: string, ...steps: (string | number)[]): string {
  return (
    pointer + steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  );
}

/** Splits a JSON Pointer into its unescaped steps. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
