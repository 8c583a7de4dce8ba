import uPlot from 'uplot';
import type { Plot } from '../../model/plot-data.ts';

const HEIGHT = 260;
const LINE_WIDTH = 2;
const POINT_SIZE = 7;

/**
 * Draws a line of a plot in the colors of the page. It follows the width of the element and changes of the theme.
 *
 * @returns what removes it
 */
export function drawPlot(element: HTMLElement, plot: Plot, line: number): () => void {
  let chart = makeChart(element, plot, line);
  const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => {
    chart.destroy();
    chart = makeChart(element, plot, line);
  };
  theme.addEventListener('change', redraw);
  return () => {
    observer.disconnect();
    theme.removeEventListener('change', redraw);
    chart.destroy();
  };
}

function makeChart(element: HTMLElement, { x, isTime, xs, lines }: Plot, at: number): uPlot {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const shown = lines[at] ?? lines[0];
  const last = xs.length - 1;
  const axis: uPlot.Axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
    font: `12px ${style.fontFamily}`,
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { live: true },
    // What is not pointed at shows its last value.
    hooks: { setCursor: [(u) => u.cursor.idx === null && u.setLegend({ idx: last }, false)] },
    scales: { x: { time: isTime } },
    axes: [axis, { ...axis, size: 64 }],
    series: [
      { label: x },
      {
        label: shown?.label ?? '',
        stroke: color('--accent'),
        width: LINE_WIDTH,
        points: { show: true, size: POINT_SIZE, fill: color('--accent') },
        // A value holds until the next build.
        ...(isTime && stepped && { paths: stepped }),
      },
    ],
  };
  const chart = new uPlot(options, [xs, shown?.values ?? []], element);
  chart.setLegend({ idx: last }, false);
  return chart;
}
