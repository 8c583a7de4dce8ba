import type { JSX } from 'preact';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import { countOf, Day, formatDay } from '../layout/format.tsx';

const WIDTH = 1000;
const HEIGHT = 28;
const MARGIN = 8;

/** The builds of a game on a line, by the days of their release. */
export function TimeLine({ builds }: { builds: readonly BuildEntry[] }): JSX.Element {
  const times = builds.map(({ released_at }) => Date.parse(released_at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const place = (time: number) =>
    last === first ? WIDTH / 2 : MARGIN + ((time - first) / (last - first)) * (WIDTH - 2 * MARGIN);
  const newest = times.length - 1;
  return (
    <figure class="time-line">
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${countOf(builds.length, 'build')} from ${formatDay(first)} to ${formatDay(last)}`}
      >
        <line class="chart-line" x1={MARGIN} x2={WIDTH - MARGIN} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {times.map((time, index) => (
          <line
            key={builds[index]?.build}
            class={index === newest ? 'build-mark newest' : 'build-mark'}
            x1={place(time)}
            x2={place(time)}
            y1={index === newest ? 2 : 6}
            y2={index === newest ? HEIGHT - 2 : HEIGHT - 6}
          />
        ))}
      </svg>
      <figcaption class="small muted">
        <Day time={iso(first)} />
        {last !== first && <Day time={iso(last)} />}
      </figcaption>
    </figure>
  );
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
