import type { Curve } from './gateway/curves.ts';

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 20;
const TOP = 50;
const BOTTOM = 50;
const COLORS = ['#888', '#c0392b', '#2c6fbb', '#3a8a4d'];

/** Draws requests a second against roster size as SVG, with logarithmic axes. */
export function plotCurves(curves: readonly Curve[], caption: string): string {
  const points = curves.flatMap((curve) => curve.points);
  const x = createScale(
    points.map(({ size }) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = createScale(
    points.map(({ rate }) => rate),
    HEIGHT - BOTTOM,
    TOP,
  );
  const lines = curves.map((curve, index) => {
    const color = COLORS[index % COLORS.length];
    const path = curve.points.map(({ size, rate }) => `${x.at(size)},${y.at(rate)}`).join(' ');
    const label = `<text x="${LEFT + 10}" y="${TOP + 18 * index}" fill="${color}">${curve.name}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${label}`;
  });
  const grid = [
    ...x.ticks.map((tick) => [
      `M${x.at(tick)} ${TOP}V${HEIGHT - BOTTOM}`,
      x.at(tick),
      HEIGHT - BOTTOM + 18,
      tick,
    ]),
    ...y.ticks.map((tick) => [`M${LEFT} ${y.at(tick)}H${WIDTH - RIGHT}`, LEFT - 30, y.at(tick) + 4, tick]),
  ].map(
    ([path, left, top, tick]) =>
      `<path d="${path}" stroke="#ddd"/><text x="${left}" y="${top}" text-anchor="middle">${tick?.toLocaleString('en')}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="20" font-size="14">Roster queries a second by roster size</text>`,
    ...grid,
    ...lines,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle" fill="#666">characters — ${caption}</text>`,
    '</svg>\n',
  ].join('\n');
}

/** Makes a logarithmic scale between two ends. Its ticks are powers of ten. */
function createScale(values: readonly number[], from: number, to: number) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return {
    at: (value: number) => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from)),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
}
