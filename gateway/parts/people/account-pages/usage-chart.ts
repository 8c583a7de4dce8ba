import type { KeyUse } from '../../../core/accounts/key-uses.ts';
import { type Html, html } from '../web/html.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const DAY_CHARS = '2030-05-01'.length;
const STEP = 5;
const BAR = 4;
const HEIGHT = 24;

/**
 * Makes a chart of the requests with a key on each of the last 30 days, with its sum and its largest day as the text alternative.
 *
 * @param use undefined for a key that was not used yet, which has no chart
 * @param today the UTC day, `2030-05-01`
 */
export function usageChart(use: KeyUse | undefined, today: string): Html | undefined {
  if (use === undefined) return undefined;
  const counts = lastDays(today).map((day) => use.days[day] ?? 0);
  const most = Math.max(...counts);
  if (most === 0) return undefined;
  const sum = counts.reduce((total, count) => total + count, 0);
  const label = `${sum} requests in ${DAYS} days, at most ${most} in a day`;
  const bars = counts.map((count, at) =>
    bar(at * STEP, count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT), count > 0),
  );
  return html`<svg class="chart" role="img" aria-label="${label}" viewBox="0 0 ${DAYS * STEP} ${HEIGHT}" width="${DAYS * STEP}" height="${HEIGHT}"><title>${label}</title>${bars}</svg>`;
}

/** The UTC days up to a day, the oldest first. */
function lastDays(today: string): string[] {
  const end = Date.parse(today);
  return Array.from({ length: DAYS }, (_, at) =>
    new Date(end - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, DAY_CHARS),
  );
}

function bar(x: number, height: number, isUsed: boolean): Html {
  const rounded = Math.round(height);
  return html`<rect class="${isUsed ? 'chart-bar' : 'chart-rest'}" x="${x}" y="${HEIGHT - rounded}" width="${BAR}" height="${rounded}"/>`;
}
