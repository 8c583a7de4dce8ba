import type { Json, JsonObject } from '../../scripts/format/json.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type ListModel, textIn } from './game-data.ts';
import { valueAt } from './model/facets.ts';
import { formatValue, type Known, labelOf } from './model/format-value.ts';
import { START, writeListState } from './model/list-state.ts';
import { listAddressOf } from './model/linked.ts';

/** How the server writes values. */
export const READER = { locale: 'en-US', lang: '' };
const MAX_CHIPS = 5;
/** What groups records less than these is no chip. */
const MAX_LOOKED_AT = 7;
const MAX_STATS = 4;

/** A value by which a record is grouped, and the list of all that have it. */
export interface Chip {
  label: string;
  text: string;
  href: string;
}

/** Returns the values by which a record is grouped. */
export function chipsOf(
  game: GameBuild,
  { side, known, key, facets }: ListModel,
  record: JsonObject,
): Chip[] {
  const { slug } = game;
  const lists = new Set(facets.filter(({ list }) => list).map(({ id }) => id));
  const chosen = side.filter(
    (facet) =>
      !facet.key.includes('.') &&
      !lists.has(facet.key) &&
      facet.form === 'choices' &&
      known.get(facet.key)?.kind !== 'date',
  );
  const seen = new Set<string>();
  const chips = chosen.slice(0, MAX_LOOKED_AT).flatMap(({ key: attribute, label }) => {
    const value = valueAt(record, attribute);
    // That a record is something says more than that it is not.
    if (value === undefined || value === null || value === false || typeof value === 'object') return [];
    const filters = [{ key: attribute, operator: 'is' as const, value: String(value) }];
    const definition: Known = known.get(attribute) ?? { key: attribute };
    const name =
      definition.ref === undefined ? undefined : textIn(game, definition.ref, String(value), 'name');
    const text = name ?? formatValue(value, definition, READER);
    if (seen.has(text)) return [];
    if (value !== true) seen.add(text);
    return [{ label, text, href: `${listAddressOf(slug, key)}?${writeListState({ ...START, filters })}` }];
  });
  return chips.slice(0, MAX_CHIPS);
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
