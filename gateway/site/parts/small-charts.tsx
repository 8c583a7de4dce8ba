import type { JSX } from 'preact';
import type { AttributeValue } from '../../../scripts/format/attributes.ts';
import type { Column } from '../../query/column.ts';
import { Count } from '../layout/format.tsx';

const PARTS = 16;
const BAR = 8;
const HEIGHT = 28;
const MAX_VALUES = 6;
const VALUE_WIDTH = 60;

/** How many records have an attribute, as a bar and in percent. */
export function Coverage({ count, of: all }: { count: number; of: number }): JSX.Element {
  const share = all === 0 ? 0 : count / all;
  const percent = share > 0 && share < 0.01 ? '<1 %' : `${Math.floor(share * 100)} %`;
  return (
    <span class="coverage small number">
      <svg class="chart" viewBox="0 0 40 8" width="40" height="8" aria-hidden="true">
        <rect class="chart-rest" width="40" height="8" rx="2" />
        <rect class="chart-bar" width={round(share * 40)} height="8" rx="2" />
      </svg>{' '}
      {percent}
    </span>
  );
}

/** Counts the numbers of a column in equal parts of its range; a number between two parts belongs to the upper one. */
export function countParts(column: Column, parts: number, min: number, max: number): number[] {
  const counts = new Array<number>(parts).fill(0);
  column.countEach((value, count) => {
    const part = Math.floor(((Number(value) - min) / (max - min)) * parts);
    const at = Math.min(Math.max(part, 0), parts - 1);
    counts[at] = (counts[at] ?? 0) + count;
  });
  return counts;
}

/** How the numbers of an attribute are spread over its range. */
export function Histogram({ column, min, max }: { column: Column; min: number; max: number }): JSX.Element {
  const counts = countParts(column, PARTS, min, max);
  const most = Math.max(...counts, 1);
  return (
    <span class="histogram">
      <svg
        class="chart"
        viewBox={`0 0 ${PARTS * BAR} ${HEIGHT}`}
        width={PARTS * BAR}
        height={HEIGHT}
        aria-hidden="true"
      >
        {counts.map((count, part) => {
          const height = count === 0 ? 1 : Math.max(2, round((count / most) * HEIGHT));
          return (
            <rect
              key={part}
              class={count === 0 ? 'chart-rest' : 'chart-bar'}
              x={part * BAR}
              y={HEIGHT - height}
              width={BAR - 1}
              height={height}
            />
          );
        })}
      </svg>
      <span class="small">
        <Range min={min} max={max} />
      </span>
    </span>
  );
}

/** Two numbers, or one if they are the same. */
export function Range({ min, max }: { min: number; max: number }): JSX.Element {
  if (min === max) return <Count value={min} />;
  return (
    <>
      <Count value={min} /> – <Count value={max} />
    </>
  );
}

/** The most frequent values of an attribute, with how many records have each. */
export function ValueBars({ values }: { values: readonly AttributeValue[] }): JSX.Element {
  const shown = values.toSorted((a, b) => b.count - a.count).slice(0, MAX_VALUES);
  const most = Math.max(...shown.map(({ count }) => count), 1);
  return (
    <ul class="value-bars">
      {shown.map(({ value, label, count }) => (
        <li key={String(value)}>
          <span class="value">{String(label ?? value)}</span>
          <svg
            class="chart"
            viewBox={`0 0 ${VALUE_WIDTH} 8`}
            width={VALUE_WIDTH}
            height="8"
            aria-hidden="true"
          >
            <rect
              class="chart-bar"
              width={Math.max(1, round((count / most) * VALUE_WIDTH))}
              height="8"
              rx="2"
            />
          </svg>
          <span class="muted">
            <Count value={count} />
          </span>
        </li>
      ))}
      {values.length > shown.length && (
        <li class="muted">
          and <Count value={values.length - shown.length} /> more
        </li>
      )}
    </ul>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
