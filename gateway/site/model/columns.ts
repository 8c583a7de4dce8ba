import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { JsonObject } from '../../../scripts/format/json.ts';
import { isInternal, type Known } from './format-value.ts';
import { type FacetRecord, type SideFacet, valueAt } from './facets.ts';

/** How many columns a table has before a reader chooses others. */
const MAX_GENERAL = 4;
const MAX_STATS = 4;
/** What stats grow from says less than the stats. */
const BEFORE = /^(base|growth)\./;
/** A table with fewer columns gets further ones. */
const FEW = 5;

/** A column that can be chosen. */
export interface ColumnChoice {
  key: string;
  label: string;
}

/**
 * Returns the keys of the columns that a table shows at first: the name, what groups the records, and the first stats.
 *
 * @param side the filters at the side, in order
 * @param sample some records as a list returns them, if full records have more attributes
 * @param known what is for programs is not shown at first, nor the name of what a reference shows by its name
 */
export function usualColumns(
  side: readonly SideFacet[],
  facets: readonly FacetRecord[],
  sample: readonly JsonObject[],
  known: ReadonlyMap<string, Known> = new Map(),
): string[] {
  const byKey = new Map(facets.map((facet) => [facet.id, facet]));
  const isShown = (key: string) =>
    sample.length === 0 || sample.some((record) => valueAt(record, key) !== undefined);
  const isStat = ({ key }: SideFacet) => key.startsWith('stats.');
  const shown = side.filter(({ key }) => byKey.get(key)?.list === false && isShown(key));
  // Of two ways to say the same, such as a rank and its letter, the first is enough.
  const single = shown.filter(({ label }, at) => shown.findIndex((other) => other.label === label) === at);
  const stats = single.filter(isStat).slice(0, MAX_STATS);
  const spare = MAX_STATS - stats.length;
  const others = single.filter((facet) => !isStat(facet) && !(stats.length > 0 && BEFORE.test(facet.key)));
  // What is inside objects comes after the stats.
  const general = others.filter(({ key }) => !key.includes('.')).slice(0, MAX_GENERAL + spare);
  const inside = others.filter(({ key }) => key.includes('.')).slice(0, MAX_GENERAL + spare - general.length);
  const first = byKey.has('name') ? ['name'] : byKey.has('id') ? ['id'] : [];
  const chosen = [...first, ...[...general, ...stats, ...inside].map(({ key }) => key)];
  const isForPlayers = (key: string) => {
    const attribute = known.get(key) ?? { key };
    const owner = known.get(key.replace(/_name$/, ''));
    return !isInternal(attribute) && attribute.kind !== 'id' && (owner === attribute || !owner?.ref);
  };
  const places = [...known.keys()];
  const further = facets
    .toSorted((a, b) => places.indexOf(a.id) - places.indexOf(b.id))
    .filter(({ id, list }) => !list && !/^(id|name(_.*)?)$/.test(id) && !chosen.includes(id))
    .map(({ id }) => id)
    .filter((key) => isShown(key) && isForPlayers(key));
  return [...chosen, ...further.slice(0, Math.max(0, FEW - chosen.length))];
}

/** Returns the columns of a table. @param chosen those in its address; empty for the usual ones */
export function columnsOf(usual: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set(chosen.length === 0 ? usual : [...usual.slice(0, 1), ...chosen])];
}

/** Returns all columns that a list can show: scalars and short lists that are reached through objects, in the order of the dictionary. */
export function columnChoices(
  facets: readonly FacetRecord[],
  attributes: readonly Attribute[],
  label: (key: string) => string,
): ColumnChoice[] {
  const places = new Map(attributes.map(({ key }, at) => [key, at]));
  const placeOf = ({ id }: FacetRecord) => places.get(id) ?? places.size;
  return [...facets].sort((a, b) => placeOf(a) - placeOf(b)).map(({ id }) => ({ key: id, label: label(id) }));
}
