import { countOf } from '../../lib/count-of.ts';
import { escapeControls } from '../../report/report.ts';
import { type Html, html } from '../../notices/html.ts';
import { printable } from './describe-change.ts';
import type { DescribedCollection, DescribedRecord, NewGame } from './new-game.ts';
import { describeNewGame, describeStep } from './new-game-markdown.ts';
import type { GameReview } from './review.ts';

/** The parts of a review that only a new game has, as HTML. */
export function renderNewGameHtml(newGame: NewGame, steps: readonly GameReview[]): Html {
  const { facts, doubts } = describeNewGame(newGame);
  const list = (lines: readonly string[]) =>
    html`<ul>${lines.map((line) => html`<li>${printable(line)}</li>`)}</ul>`;
  return html`<h2>Where it comes from, and who wrote the mapping</h2>
${list(facts)}
${steps.length > 1 ? html`<h2>Its builds</h2>${list(steps.map(describeStep))}` : ''}
${doubts.length > 0 ? html`<h2>Values that do not fit to the names of their columns</h2>${list(doubts)}` : ''}
<h2>Records beside the raw rows that they come from</h2>
${newGame.collections.map(renderCollection)}`;
}

function renderCollection({ list, from, count, origins, records }: DescribedCollection): Html {
  const rows = origins.map(
    ({ attribute, columns, doubt }) =>
      html`<tr class="${doubt === undefined ? 'still' : 'moved'}"><td>${printable(attribute)}</td><td>${printable(columns.join(', ') || 'no column has these values')}</td><td>${printable(doubt ?? '')}</td></tr>
`,
  );
  return html`<h3>${list}, ${from === undefined ? 'served as it is' : `from table ${from}`}, ${countOf(count, 'row')}</h3>
${origins.length === 0 ? '' : html`<details><summary>the columns of ${countOf(origins.length, 'value')}</summary><table><thead><tr><th>attribute</th><th>column with the same values</th><th>look at</th></tr></thead><tbody>${rows}</tbody></table></details>`}
${records.map(renderRecord)}`;
}

function renderRecord({ title, values, record, rows }: DescribedRecord): Html {
  const lines = values.map(
    ({ attribute, value, columns }) =>
      html`<tr><td>${printable(attribute)}</td><td>${printable(value)}</td><td>${printable(columns.join(', ') || '–')}</td></tr>
`,
  );
  const raw = rows.map(
    ({ place, text }) => html`<p><code>${printable(place)}</code></p><pre>${printed(text)}</pre>`,
  );
  return html`<details><summary>${printable(title)}</summary>
<table><thead><tr><th>attribute</th><th>as served</th><th>raw column</th></tr></thead><tbody>${lines}</tbody></table>
<div class="beside"><div><p>as served</p><pre>${printed(record)}</pre></div><div>${raw}</div></div></details>
`;
}

function printed(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
