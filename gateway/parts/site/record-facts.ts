import type { Json, JsonObject } from '../../../scripts/core/format/json.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';
import type { ListModel } from './game-data.ts';
import { valueAt } from './model/facets.ts';
import { formatValue, labelOf } from './model/format-value.ts';
import { START, writeListState } from './model/list-state.ts';
import { listAddressOf } from './model/linked.ts';

/** How the server writes values. */
export const READER = { locale: 'en-US', lang: '' };
const MAX_CHIPS = 5;
const MAX_STATS = 4;

/** A value by which a record is grouped, and the list of all that have it. */
export interface Chip {
  label: string;
  text: string;
  href: string;
}

/** Returns the values by which a record is grouped. */
export function chipsOf(
  { slug }: GameBuild,
  { side, known, key, facets }: ListModel,
  record: JsonObject,
): Chip[] {
  const lists = new Set(facets.filter(({ list }) => list).map(({ id }) => id));
  const chosen = side.filter(
    (facet) => !facet.key.includes('.') && !lists.has(facet.key) && facet.form === 'choices',
  );
  return chosen.slice(0, MAX_CHIPS).flatMap(({ key: attribute, label }) => {
    const value = valueAt(record, attribute);
    if (value === undefined || value === null || typeof value === 'object') return [];
    const filters = [{ key: attribute, operator: 'is' as const, value: String(value) }];
    const text = formatValue(value, known.get(attribute) ?? { key: attribute }, READER);
    return [{ label, text, href: `${listAddressOf(slug, key)}?${writeListState({ ...START, filters })}` }];
  });
}

/** Writes a sentence about a record for search engines and previews. */
export function describeRecord(
  name: string,
  { title }: GameBuild,
  { known, label }: ListModel,
  { stats }: JsonObject,
  chips: readonly Chip[],
): string {
  const numbers: [string, Json][] = stats !== null && typeof stats === 'object' ? Object.entries(stats) : [];
  const shown = numbers
    .filter(([, value]) => typeof value === 'number')
    .slice(0, MAX_STATS)
    .map(([key, value]) => {
      const attribute = known.get(`stats.${key}`) ?? { key };
      return `${labelOf(attribute)} ${formatValue(value, attribute, READER)}`;
    });
  const facts = [...chips.map((chip) => `${chip.label} ${chip.text}`), ...shown].join(', ');
  return `${name}, ${label.toLowerCase()} of ${title}${facts === '' ? '' : `: ${facts}`}.`;
}

/** Returns the names of a record in other languages. */
export function namesOf(record: JsonObject): { lang: string; text: string }[] {
  return Object.entries(record).flatMap(([key, value]) =>
    /^name_[a-z_]+$/.test(key) && typeof value === 'string' && value !== record.name
      ? [{ lang: key.slice('name_'.length).replaceAll('_', '-'), text: value }]
      : [],
  );
}
