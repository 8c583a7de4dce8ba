import type { Figures } from './campaign.ts';

const HEAD = ['campaign', 'seconds', 'tried', 'lost', 'torn', 'wrong', 'above caps', 'silent'];

/** The result of a campaign. If it could not be finished, it has the text of the error instead of figures. */
export interface Result {
  name: string;
  seconds: number;
  figures: Figures | string;
}

/** The results as a table in Markdown, which can be read on a terminal as well. */
export function formatFigures(results: readonly Result[]): string {
  const rows = results.map(({ name, seconds, figures }) => {
    if (typeof figures === 'string') return [name, seconds.toFixed(0), `not finished: ${figures}`];
    const { tried, lost, torn, wrong, above, silent } = figures;
    return [name, seconds.toFixed(0), ...[tried, lost, torn, wrong, above, silent].map(String)];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [HEAD, HEAD.map(() => '---'), ...rows].map(line).join('');
}
