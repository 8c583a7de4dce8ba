import type { JSX } from 'preact';
import type { KeyUse } from '../../../key-uses/key-uses.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const DAY_CHARS = '2030-05-01'.length;
const STEP = 5;
const BAR = 4;
const HEIGHT = 24;

/** A chart of the requests with a key on each of the last 30 days, with its sum and its largest day as the text alternative. */
export function UsageChart(props: {
  /** Undefined for a key that was not used yet, which has no chart. */
  use: KeyUse | undefined;
  /** The UTC day, `2030-05-01`. */
  today: string;
}): JSX.Element | null {
  const { use, today } = props;
  if (use === undefined) return null;
  const counts = lastDays(today).map((day) => use.days[day] ?? 0);
  const most = Math.max(...counts);
  if (most === 0) return null;
  const sum = counts.reduce((total, count) => total + count, 0);
  const label = `${sum} requests in ${DAYS} days, at most ${most} in a day`;
  const bars = counts.map((count, at) => (
    <Bar x={at * STEP} height={count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT)} isUsed={count > 0} />
  ));
  const width = DAYS * STEP;
  return (
    <svg
      class="chart"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
    >
      <title>{label}</title>
      {bars}
    </svg>
  );
}

/** The UTC days up to a day, the oldest first. */
function lastDays(today: string): string[] {
  const end = Date.parse(today);
  return Array.from({ length: DAYS }, (_, at) =>
    new Date(end - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, DAY_CHARS),
  );
}

function Bar({ x, height, isUsed }: { x: number; height: number; isUsed: boolean }): JSX.Element {
  const rounded = Math.round(height);
  return (
    <rect
      class={isUsed ? 'chart-bar' : 'chart-rest'}
      x={x}
      y={HEIGHT - rounded}
      width={BAR}
      height={rounded}
    />
  );
}
