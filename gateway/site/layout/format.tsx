import type { JSX } from 'preact';

/** Writes a number with separators: `12,345`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 });
}

/** Writes a number and its noun: `1 build`, `2 builds`. */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Writes the day of a time in UTC: `4 May 2026`. */
export function formatDay(time: string | number): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** A number, which the browser writes as its reader does. */
export function Count({ value }: { value: number }): JSX.Element {
  return (
    <data class="number" value={value}>
      {formatNumber(value)}
    </data>
  );
}

/** A number and its noun, which the browser writes as its reader does: `1 build`, `2 builds`. */
export function CountOf({ count, noun }: { count: number; noun: string }): JSX.Element {
  return (
    <>
      <Count value={count} /> {noun}
      {count === 1 ? '' : 's'}
    </>
  );
}

/** A day, which the browser writes as its reader does. */
export function Day({ time }: { time: string }): JSX.Element {
  return (
    <time dateTime={time} data-show="day">
      {formatDay(time)}
    </time>
  );
}

/** A day with how long ago it is, which the browser adds. */
export function Since({ time }: { time: string }): JSX.Element {
  return (
    <time dateTime={time} data-show="since">
      {formatDay(time)}
    </time>
  );
}
