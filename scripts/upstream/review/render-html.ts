import type { AttributeValues, BuildCoverage, CollectionCoverage } from '../../check/coverage.ts';
import { cutShort, printable } from './describe-change.ts';
import { renderText } from './diff-text.ts';
import type { Finding } from '../../findings/findings.ts';
import { countOf } from '../../lib/count-of.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import { type Html, html } from '../../notices/html.ts';
import { countFindings, escapeControls } from '../../report/report.ts';
import type { Sample } from './choose-samples.ts';
import { drawSvg } from './draw.ts';
import { renderNewGameHtml } from './new-game-html.ts';
import type { GameReview } from './review.ts';
import { STYLE } from './style.ts';

const MAX_CHANGED_LINES = 5000;
const MAX_RECORD_CHARACTERS = 100_000;
const OPEN = html`<details open>`;
const CLOSED = html`<details>`;

/** Renders reviews as one HTML file that needs no other file and runs no script. */
export function renderHtml(reviews: readonly GameReview[]): string {
  const title = `Review of ${reviews.map(({ game, build }) => `${game} ${build ?? ''}`.trim()).join(', ')}`;
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${cutShort(escapeControls(title), 200)}</title>
<style>${STYLE}</style>
</head>
<body>
${reviews.map((review) => renderGame(review, reviews))}
</body>
</html>
`;
  return text;
}

function renderGame(review: GameReview, all: readonly GameReview[]): Html {
  const { game, title, build, released_at, before, findings, newGame } = review;
  const steps = all.filter((each) => each.game === game);
  const { errors, warnings } = countFindings(findings);
  return html`<section>
<h1>${escapeControls(title)} ${before ? `${before.build} → ` : ''}${build ?? 'no build'}</h1>
<p>${game}${released_at === undefined ? '' : `, released at ${released_at}`}; ${
    before ? `compared with ${before.place}` : 'a new game, compared with nothing'
  }; ${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}${review.isCompiled ? '' : '. Its errors keep it from being compiled: the records cannot be shown'}.</p>
${review.notes.length === 0 ? '' : html`<ul>${review.notes.map((note) => html`<li>${escapeControls(note)}</li>`)}</ul>`}
<h2>Findings</h2>
${findings.length === 0 ? html`<p>None.</p>` : html`<ol>${findings.map(renderFinding)}</ol>`}
${newGame ? renderNewGameHtml(newGame, steps) : ''}
${renderCoverage(review.coverage)}
${renderChanges(review)}
${renderDistributions(review)}
${renderSamples(review.samples)}
</section>
`;
}

function renderFinding({ severity, check, place, found, expected, fix, more }: Finding): Html {
  const where = `${place.file}:${place.line ?? 1} ${place.pointer}`;
  return html`<li class="${severity}"><b>${severity}</b> ${check} <code>${escapeControls(where)}</code>
<dl><dt>found</dt><dd>${escapeControls(found)}</dd><dt>expected</dt><dd>${escapeControls(expected)}</dd>${
    fix === undefined ? '' : html`<dt>to do</dt><dd>${escapeControls(fix)}</dd>`
  }${more === undefined ? '' : html`<dt>and</dt><dd>${more} more</dd>`}</dl></li>
`;
}

function renderCoverage(coverage: BuildCoverage | undefined): Html | undefined {
  if (coverage === undefined) return undefined;
  return html`<h2>What it has</h2>
${coverage.collections.map(renderCollection)}`;
}

function renderCollection({
  collection,
  records,
  records_before: before,
  attributes,
}: CollectionCoverage): Html {
  const moved = attributes.filter((attribute) => attribute.moved).length;
  const count = before === undefined || before === records ? String(records) : `${before} → ${records}`;
  const rows = attributes.map(
    (
      attribute,
    ) => html`<tr class="${attribute.moved ? 'moved' : 'still'}"><td>${escapeControls(attribute.attribute)}</td><td>${
      attribute.before ? `${attribute.before.has}/${before ?? 0}` : ''
    }</td><td>${attribute.has}/${records}</td><td>${attribute.before ? describeValues(attribute.before) : ''}</td><td>${describeValues(attribute)}</td></tr>
`,
  );
  return html`${moved > 0 || before === undefined ? OPEN : CLOSED}<summary>${collection}: ${count} records, ${countOf(attributes.length, 'attribute')}, ${moved} moved</summary>
<table><thead><tr><th>attribute</th><th>had</th><th>has</th><th>values before</th><th>values now</th></tr></thead><tbody>${rows}</tbody></table></details>
`;
}

function describeValues({ min, max, distinct }: AttributeValues): string {
  const range = min === undefined ? [] : [min === max ? `${min}` : `${min} to ${max}`];
  return [...range, ...(distinct === undefined ? [] : [`${distinct} distinct`])].join(', ') || 'nothing';
}

function renderChanges({ diff }: GameReview): Html | undefined {
  if (diff === undefined) return undefined;
  const lines = renderText(diff, false).trimEnd().split('\n').slice(1);
  const more = lines.length - MAX_CHANGED_LINES;
  return html`<h2>What changed</h2>
<pre>${lines.slice(0, MAX_CHANGED_LINES).map(renderLine)}</pre>
${more > 0 ? html`<p>…and ${more} more lines: see gamedata diff.</p>` : ''}`;
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '~': 'changed' };

function renderLine(line: string): Html {
  const mark = CLASSES[line.trimStart().charAt(0)];
  return mark === undefined ? html`${line}\n` : html`<span class="${mark}">${line}</span>\n`;
}

function renderDistributions({ distributions, before }: GameReview): Html | undefined {
  if (distributions.length === 0) return undefined;
  return html`<h2>${before ? 'Distributions that moved' : 'Distributions'}</h2>
${before ? html`<p><span class="key before"></span> before <span class="key now"></span> now</p>` : ''}
${distributions.map(
  (
    each,
  ) => html`<figure><figcaption>${escapeControls(`${each.collection}.${each.attribute}`)}</figcaption>${drawSvg(each)}</figure>
`,
)}`;
}

function renderSamples(samples: readonly Sample[]): Html | undefined {
  if (samples.length === 0) return undefined;
  return html`<h2>Records as the API will serve them</h2>
${samples.map(
  ({
    collection,
    title,
    reason,
    address,
    record,
  }) => html`<details><summary>${collection}: ${printable(title)} (${printable(reason)})</summary>
${address === undefined ? '' : html`<p><code>GET ${address}</code></p>`}
<pre>${cutShort(renderRecord(record), MAX_RECORD_CHARACTERS)}</pre></details>
`,
)}`;
}

function renderRecord(record: JsonObject): string {
  return JSON.stringify(record, null, 2).split('\n').map(escapeControls).join('\n');
}
