/** The rows of a table: one a line, with " | " between cells, and ¶ for a line break in a cell. Other escapes are those of what a cell holds. */
export function table({ raw }: TemplateStringsArray, ...values: readonly string[]): string[][] {
  const lines = String.raw({ raw }, ...values)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => line.split(/ \|(?: |$)/).map((cell) => cell.trim().replaceAll('¶', '\n')));
}
