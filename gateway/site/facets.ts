// Chooses the filters beside a list, the default columns of its table, and the data for the tiles of its records.
import type { Attribute, AttributeValue } from '../../scripts/format/attributes.ts';
import { formatCell, isCode, isInternal, type Known, labelOf } from './format.ts';

/** A facet as `/api/{game}/facets` describes it. */
export interface FacetRecord {
  id: string;
  type: 'string' | 'number' | 'boolean';
  /** Whether a record may have several values. */
  list: boolean;
  count: number;
  distinct: number;
  min?: number;
  max?: number;
  values?: AttributeValue[];
}

/** The attributes of a collection by key, in the order of pages. */
export type Attributes = ReadonlyMap<string, Attribute>;

/** A filter beside a list. */
export type SideFacet = {
  key: string;
  label: string;
  /** Whether a record may have several values. */
  list: boolean;
} & (
  | { form: 'choices'; choices: { value: string; label: string; count: number }[] }
  | { form: 'range'; min: number; max: number; isDate: boolean }
);

/** Numbers and days with at most this many values are chosen from a list, others limited by a range. */
const FEW_NUMBERS = 8;
const FEW_STATS = 4;
/** Texts with more values are found by search, not chosen from a list. */
const MANY_VALUES = 50;
/** Longer texts are sentences. */
const LONG_CHARS = 60;
/** Texts whose values are mostly unique do not group records. */
const OWN_SHARE = 0.7;
/** More attributes than any dictionary has. */
const MAX_ATTRIBUTES = 10_000;
const NEVER: ReadonlySet<string> = new Set(['id', 'name', 'aliases', 'key']);
/** The attributes that players of most games group by. */
const USUAL = /^(class|element|rarity|type|path|role|specialty|weapon|weapon_type|unit|plan)$/;

/**
 * Chooses and sorts the filters beside a list: usual groups first, then closed sets, other general attributes, stats, and the rest; without
 * attributes whose values do not group records.
 *
 * @param records the number of records in the list
 */
export function sideFacets(facets: readonly FacetRecord[], known: Attributes, records: number): SideFacet[] {
  const keys = [...known.keys()];
  const placeOf = ({ id }: FacetRecord) => rankOf(id, known.get(id)) * MAX_ATTRIBUTES + keys.indexOf(id);
  const seen = new Set<string>();
  return facets
    .filter((facet) => groupsRecords(facet, known.get(facet.id), records))
    .sort((a, b) => placeOf(a) - placeOf(b))
    .flatMap((facet) => {
      const outer = known.get(facet.id.slice(0, Math.max(0, facet.id.lastIndexOf('.'))));
      const side = toSide(facet, known.get(facet.id) ?? { key: facet.id }, outer);
      // A number and its word, or an id and its name, are the same filter.
      const name = `${side.label} ${facet.distinct} ${facet.count}`;
      const isRepeated = side.form === 'choices' && seen.has(name);
      seen.add(name);
      return isRepeated ? [] : [side];
    });
}

function rankOf(id: string, attribute: Attribute | undefined): number {
  if (id.startsWith('stats.')) return 3;
  if (id.includes('.')) return 4;
  if (USUAL.test(id)) return 0;
  return attribute?.closed ? 1 : 2;
}

/** Returns whether the values of a facet group records; otherwise they identify them. @param records the number in the list */
function groupsRecords(facet: FacetRecord, attribute: Known | undefined, records: number): boolean {
  const { id, type, distinct, count } = facet;
  if (NEVER.has(id) || /(^|_)name_/.test(id) || distinct === 0) return false;
  if (attribute?.kind === 'id' || isInternal(attribute ?? { key: id })) return false;
  if (facet.values?.every(({ value, label }) => label === undefined && isCode(value))) return false;
  if (type !== 'number' && !facet.values) return false;
  if (type === 'number' || isDay(facet, attribute)) return distinct > 1;
  if (facet.values?.some(({ value }) => String(value).length > LONG_CHARS)) return false;
  if (distinct === 1) return count < records;
  // Values that belong to a few records, each to one, do not group the others.
  const isFew = distinct <= FEW_NUMBERS && (distinct < count || count === records);
  return distinct <= MANY_VALUES && (isFew || distinct < count * OWN_SHARE);
}

const isDay = ({ type, list }: FacetRecord, attribute: Known | undefined) =>
  type === 'string' && !list && attribute?.kind === 'date';

function toSide(facet: FacetRecord, attribute: Known, outer: Known | undefined): SideFacet {
  const { id, type, list, values, distinct, min = 0, max = 0 } = facet;
  // Labels of stats are known without a prefix.
  const prefix = outer && outer.key !== 'stats' ? `${labelOf(outer)} · ` : '';
  const base = { key: id, label: prefix + labelOf(attribute), list };
  const isDate = isDay(facet, attribute);
  const few = id.startsWith('stats.') ? FEW_STATS : FEW_NUMBERS;
  if ((type === 'number' || isDate) && distinct > few) return { ...base, form: 'range', min, max, isDate };
  const choices = (values ?? []).map(({ value, count, label }) => ({
    value: String(value),
    label: label ?? formatCell(value, attribute, { lang: '' }) + (attribute.unit === 'stars' ? ' ★' : ''),
    count,
  }));
  return { ...base, form: 'choices', choices };
}

/** How many general columns a table has by default. */
const MAX_GENERAL = 4;
const MAX_STATS = 4;
/** A table with fewer columns gets additional ones. */
const FEW_COLUMNS = 5;
/** The values that stats grow from are less interesting than the stats. */
const BEFORE = /^(base|growth)\./;

/** Returns the keys of the default columns: the name, the groups of the records, and the first stats. */
export function usualColumns(side: SideFacet[], facets: FacetRecord[], known: Attributes): string[] {
  const isStat = ({ key }: SideFacet) => key.startsWith('stats.');
  // What a record is or is not says least, and is one of the filters.
  const isFlag = (key: string) => facets.some(({ id, type }) => id === key && type === 'boolean');
  const shown = side.filter(({ key, list }) => !list && !isFlag(key));
  // Of two attributes with the same meaning, such as a rank and its letter, the first is enough.
  const single = shown.filter(({ label }, at) => shown.findIndex((other) => other.label === label) === at);
  const stats = single.filter(isStat).slice(0, MAX_STATS);
  const spare = MAX_STATS - stats.length;
  const others = single.filter((facet) => !isStat(facet) && !(stats.length > 0 && BEFORE.test(facet.key)));
  // Attributes inside objects come after the stats.
  const general = others.filter(({ key }) => !key.includes('.')).slice(0, MAX_GENERAL + spare);
  const inside = others.filter(({ key }) => key.includes('.')).slice(0, MAX_GENERAL + spare - general.length);
  const first = ['name', 'id'].filter((key) => facets.some(({ id }) => id === key)).slice(0, 1);
  const chosen = [...first, ...[...general, ...stats, ...inside].map(({ key }) => key)];
  const further = facets.flatMap(({ id, list }) => {
    const attribute: Known = known.get(id) ?? { key: id };
    const isNamed = list || /^(id|name(_.*)?)$/.test(id) || chosen.includes(id);
    return isNamed || isInternal(attribute) || attribute.kind === 'id' ? [] : [id];
  });
  return [...chosen, ...further.slice(0, Math.max(0, FEW_COLUMNS - chosen.length))];
}

/** The attributes that a record's tile shows. */
export interface TileKeys {
  /** The attribute that groups the records, such as an element or a class. */
  group: string | undefined;
  rarity: string | undefined;
  picture: string | undefined;
  /** The labels of the groups. */
  labels: ReadonlyMap<string, string>;
}

const GROUPS = ['element', 'class', 'attribute', 'path', 'type', 'category', 'idol', 'unit', 'sinner'];
const RARITIES = /^(rarity|rank|stars|grade)$/;
const ICONS = /(^|[._])(icon|face|thumb\w*|avatar)$/;

/** Chooses the attributes for the tiles of a list: the one that a player would group its records by, and the icon. */
export function tileKeysOf(side: SideFacet[], facets: FacetRecord[], known: Attributes): TileKeys {
  // A record is in one group, and the group has a name.
  const isText = (key: string) => facets.some(({ id, type }) => id === key && type === 'string');
  const groups = side
    .filter(({ key, form, list }) => form === 'choices' && !list && !key.includes('.') && isText(key))
    .map(({ key }) => key);
  const pictures = [...known.values()].filter(
    ({ kind, list, type }) => kind === 'image' && !list && type === 'string',
  );
  const group = GROUPS.find((key) => groups.includes(key)) ?? groups[0];
  const choices = side.flatMap((each) => (each.key === group && each.form === 'choices' ? each.choices : []));
  return {
    group,
    labels: new Map(choices.map(({ value, label }) => [value, label])),
    rarity: facets.find(({ id, type }) => type === 'number' && RARITIES.test(id))?.id,
    picture: (pictures.find(({ key }) => ICONS.test(key)) ?? pictures[0])?.key,
  };
}

/** The members that readers look for first; the others keep the order of the dictionary. */
const FIRST = (
  'id name level kind hp atk magic_atk def magic_def res spd crit_rate crit_dmg ' +
  'power performance technique vocal dance visual'
).split(' ');

/** Sorts attributes in the order of pages: HP, attack and defence first, a start before its end, a minimum before its maximum. */
export function inReadingOrder<Each extends Known>(attributes: readonly Each[]): Each[] {
  const places = new Map(attributes.map(({ key }, at) => [key, at]));
  const placeOf = (key: string): number => {
    const first = FIRST.indexOf(key.slice(key.lastIndexOf('.') + 1));
    if (first >= 0) return first - FIRST.length;
    const earlier = places.get(key.replace(/(?<=[._]|^)end$/, 'start').replace(/(?<=[._]|^)max$/, 'min'));
    const place = places.get(key) ?? attributes.length;
    return earlier === undefined || earlier === place ? place : earlier + 0.5;
  };
  // Of one length each, so that they are compared as texts: an object comes before its members.
  const placed = (key: string) => (MAX_ATTRIBUTES + placeOf(key)).toFixed(1).padStart(7, '0');
  const pathOf = (key: string) =>
    key.split('.').map((_, at, parts) => placed(parts.slice(0, at + 1).join('.')));
  const paths = new Map(attributes.map(({ key }) => [key, pathOf(key).join()]));
  return attributes.toSorted((a, b) => ((paths.get(a.key) ?? '') < (paths.get(b.key) ?? '') ? -1 : 1));
}
