import type { Bar, Distribution } from './distributions.ts';
import { type Html, html } from '../../notices/html.ts';

const MAX_LABEL = 24;
const TEXT_BAR = 20;
/** Of the drawing, in its own units. */
const ROW = 22;
const LABEL_WIDTH = 190;
const BAR_WIDTH = 320;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 110;

/** The distribution as lines of text: a bar for each value before, and one now. */
export function drawText({ bars, compared }: Distribution): string[] {
  const width = bars.reduce((widest, { label }) => Math.max(widest, shorten(label).length), 0);
  const line = (label: string, share: number, mark: string) =>
    `${label.padEnd(width)} ${mark.repeat(Math.round(share * TEXT_BAR)).padEnd(TEXT_BAR)} ${percent(share)}`;
  return bars.flatMap(({ label, before, now }) => [
    ...(compared ? [line(shorten(label), before, '░')] : []),
    line(compared ? '' : shorten(label), now, '█'),
  ]);
}

/** The distribution as a picture. */
export function drawSvg({ attribute, bars, compared }: Distribution): Html {
  const height = bars.length * ROW + 4;
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Distribution of ${attribute}">${bars.map((bar, row) => drawBar(bar, row * ROW + 2, compared))}</svg>`;
}

function drawBar({ label, before, now }: Bar, top: number, compared: boolean): Html {
  const text = compared ? `${percent(before)} → ${percent(now)}` : percent(now);
  const thickness = compared ? 8 : 16;
  const old = html`<rect class="before" x="${LABEL_WIDTH}" y="${top}" width="${lengthOf(before)}" height="8"/>`;
  return html`<text x="${LABEL_WIDTH - 8}" y="${top + 14}" text-anchor="end">${shorten(label)}</text>${
    compared ? old : ''
  }<rect class="now" x="${LABEL_WIDTH}" y="${compared ? top + 9 : top}" width="${lengthOf(now)}" height="${thickness}"/><text x="${LABEL_WIDTH + BAR_WIDTH + 8}" y="${top + 14}">${text}</text>`;
}

function lengthOf(share: number): string {
  return (share * BAR_WIDTH).toFixed(1);
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

function shorten(label: string): string {
  const characters = [...label];
  return characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 1).join('')}…` : label;
}
