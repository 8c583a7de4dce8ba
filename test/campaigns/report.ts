/** The result of a campaign. If it could not be finished, it has the text of the error instead of figures. */
export interface Result<Figures> {
  name: string;
  seconds: number;
  figures: Figures | string;
}

/** The results as a table in Markdown, which can be read on a terminal as well. A figure that does not matter for a campaign is undefined. */
export function formatFigures<Figures>(
  results: readonly Result<Figures>[],
  headings: { readonly [Name in keyof Figures]-?: string },
): string {
  const names = Object.keys(headings) as (keyof Figures)[];
  const head = ['campaign', 'seconds', ...names.map((name) => headings[name])];
  const rows = results.map(({ name, seconds, figures }) => {
    if (typeof figures === 'string') return [name, seconds.toFixed(0), `not finished: ${figures}`];
    return [name, seconds.toFixed(0), ...names.map((column) => String(figures[column] ?? ''))];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
