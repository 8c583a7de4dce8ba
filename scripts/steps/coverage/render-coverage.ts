import type {
  AttributeCoverage,
  AttributeValues,
  BuildCoverage,
  CollectionCoverage,
  CoverageChoice,
} from '../../check/coverage.ts';
import { countOf } from '../../lib/count-of.ts';
import { escapeControls } from '../../report/report.ts';

/** How many attributes of a collection are listed without `all`. */
const MAX_LISTED = 12;

/**
 * Renders what the collections of builds have, one table for each build. Without a build before, nothing moved, and the first attributes are
 * listed.
 *
 * @returns the text, with a line feed at its end; `''` for nothing
 */
export function renderCoverage(coverages: readonly BuildCoverage[], choice: CoverageChoice): string {
  if (choice === 'none') return '';
  return coverages
    .map((coverage) => `${renderBuild(coverage, choice).map(escapeControls).join('\n')}\n`)
    .join('\n');
}

function renderBuild({ game, build, before, collections }: BuildCoverage, choice: CoverageChoice): string[] {
  const since = before === undefined ? '' : `, before it ${before}`;
  return [
    `${game} ${build}${since}`,
    ...collections.flatMap((collection) => renderCollection(collection, choice)),
  ];
}

/** Renders what the records of a collection have, as lines. */
export function renderCollection(collection: CollectionCoverage, choice: CoverageChoice): string[] {
  const { records, records_before: before, attributes } = collection;
  const isChosen = ({ moved }: AttributeCoverage) => choice === 'all' || moved || before === undefined;
  const chosen = attributes.filter(isChosen);
  const listed = choice === 'all' ? chosen : chosen.slice(0, MAX_LISTED);
  const count = before === undefined || before === records ? String(records) : `${before} → ${records}`;
  const rows = listed.map((attribute) => [
    `    ${attribute.attribute}`,
    renderHas(attribute, collection),
    renderMove(renderValues(attribute), attribute.before && renderValues(attribute.before)),
  ]);
  const more = chosen.length - listed.length;
  return [
    `  ${collection.collection}: ${count} ${records === 1 ? 'record' : 'records'}, ${countOf(attributes.length, 'attribute')}${describeMoved(collection)}${describeAliases(collection)}`,
    ...align(rows),
    ...(more > 0 ? [`    and ${more} more: --coverage all`] : []),
  ];
}

function describeMoved({ records_before, attributes }: CollectionCoverage): string {
  if (records_before === undefined) return '';
  const moved = attributes.filter((attribute) => attribute.moved).length;
  return moved === 0 ? ', none moved' : `, ${moved} moved`;
}

function describeAliases({ aliases }: CollectionCoverage): string {
  return aliases === undefined ? '' : `, aliases of ${aliases}`;
}

function renderHas(
  { has, before }: AttributeCoverage,
  { records, records_before }: CollectionCoverage,
): string {
  return renderMove(`${has}/${records}`, before && `${before.has}/${records_before}`);
}

function renderValues({ min, max, distinct }: AttributeValues): string {
  const range = min === undefined ? [] : [min === max ? `${min}` : `${min}–${max}`];
  return [...range, ...(distinct === undefined ? [] : [`${distinct} distinct`])].join(', ') || 'nothing';
}

function renderMove(now: string, before: string | undefined): string {
  return before === undefined || before === now ? now : `${before} → ${now}`;
}

/** Pads the cells of all columns except the last one. */
function align(rows: string[][]): string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  return rows.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)).join('  '),
  );
}
