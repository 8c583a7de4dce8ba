import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { NOTHING, numberFormat } from '../model/format-value.ts';
import type { Line, Plot } from '../model/plot-data.ts';
import type { Browser } from './browser.ts';
import { DataTable } from './data-table.tsx';

/** Properties of `PlotFigure`. */
export interface PlotFigureProps {
  plot: Plot;
  /** Undefined on a server, where only the table is shown. */
  browser?: Browser | undefined;
  locale: string;
  /** Whether a table with the same values stands elsewhere on the page. */
  hasTable: boolean;
}

const SHORT = { maximumFractionDigits: 2 };
const LONG = { maximumFractionDigits: 4 };

/** A plot of one line at a time, which the reader chooses, and its values as a table. */
export function PlotFigure({ plot, browser, locale, hasTable }: PlotFigureProps): JSX.Element {
  const [chosen, choose] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const name = useId();
  const line = plot.lines[chosen] ?? plot.lines[0];
  useEffect(() => {
    const element = place.current;
    if (browser === undefined || element === null) return undefined;
    const drawn = browser.draw(element, plot, chosen);
    return () => void drawn.then((remove) => remove());
  }, [browser, plot, chosen]);
  return (
    <figure class="plot">
      {plot.lines.length > 1 && (
        <fieldset class="choice-row">
          <legend class="visually-hidden">What the plot shows</legend>
          {plot.lines.map(({ key, label }, at) => (
            <label key={key} class="choice">
              <input type="radio" name={name} checked={at === chosen} onChange={() => choose(at)} />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      )}
      {line && (
        <div ref={place} class="plot-place" role="img" aria-label={describeLine(plot, line, locale)} />
      )}
      {!hasTable && (
        <details>
          <summary>Values as a table</summary>
          <PlotTable plot={plot} locale={locale} />
        </details>
      )}
    </figure>
  );
}

/** What a plot shows, for readers who do not see it. */
function describeLine({ x, xs, names }: Plot, { label, unit, values }: Line, locale: string): string {
  const format = numberFormat(locale, SHORT);
  const points = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `${label} by ${x}: no values`;
  const at = (index: number) => names?.[index] ?? format.format(xs[index] ?? 0);
  const text = `${label} by ${x}: ${format.format(first.value)} at ${at(first.at)}, ${format.format(last.value)} at ${at(last.at)}`;
  return unit === undefined ? text : `${text}, in ${unit}`;
}

function PlotTable({ plot: { x, xs, names, lines, title }, locale }: { plot: Plot; locale: string }) {
  const format = numberFormat(locale, LONG);
  const write = (value: number | null | undefined) =>
    typeof value === 'number' ? format.format(value) : NOTHING;
  return (
    <DataTable
      label={`${title} as a table`}
      columns={[
        { label: x, unit: undefined, isNumber: false },
        ...lines.map(({ label, unit }) => ({ label, unit, isNumber: true })),
      ]}
      rows={xs.map((value, at) => [
        names?.[at] ?? format.format(value),
        ...lines.map(({ values }) => write(values[at])),
      ])}
      hasRowHeads
    />
  );
}
