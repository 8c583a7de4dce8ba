import type { Attribute, AttributeValue, Scalar } from '../../../scripts/format/attributes.ts';
import type { Json } from '../../../scripts/format/json.ts';
import { isInternal, type Known, labelOf, unitOf, wordsOfValue } from './format-value.ts';

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
  rest?: { distinct: number; count: number };
}

/** A value of a facet that can be chosen. */
export interface Choice {
  /** As an address has it. */
  value: string;
  label: string;
  /** How many records have it. */
  count: number;
}

/** A filter at the side of a table. */
export type SideFacet = { key: string; label: string; hint: string | undefined } & (
  | { form: 'choices'; choices: Choice[] /** How many further values are not listed. */; more: number }
  | { form: 'range'; min: number; max: number; unit: string | undefined }
);

/** Numbers with at most this many values are chosen rather than limited. */
const FEW_NUMBERS = 8;
/** Texts with more values are found by search rather than in a list. */
const MANY_VALUES = 50;
/** Texts of which nearly every record has its own do not group records. */
const OWN_SHARE = 0.7;
/** More than a dictionary has. */
const MAX_ATTRIBUTES = 10_000;
const NEVER: ReadonlySet<string> = new Set(['id', 'name', 'aliases', 'key']);

/**
 * Chooses and orders the filters at the side of a table: what players of most games group by first, then closed sets, other general ones, stats, and the rest; those whose values
 * do not group records are left out.
 *
 * @param records how many records the list has
 */
export function sideFacets(
  facets: readonly FacetRecord[],
  attributes: readonly Attribute[],
  records: number,
  lang = '',
): SideFacet[] {
  const byKey = new Map(attributes.map((attribute, at) => [attribute.key, { attribute, at }]));
  const placeOf = ({ id }: FacetRecord) =>
    rankOf(id, byKey.get(id)?.attribute) * MAX_ATTRIBUTES + (byKey.get(id)?.at ?? attributes.length);
  const seen = new Set<string>();
  return facets
    .filter((facet) => groupsRecords(facet, byKey.get(facet.id)?.attribute, records))
    .sort((a, b) => placeOf(a) - placeOf(b))
    .flatMap((facet) => {
      const side = toSide(facet, byKey.get(facet.id)?.attribute ?? { key: facet.id }, byKey, lang);
      // The same in a number and in words, or as an id and a name, is one filter.
      const name = `${side.label} ${facet.distinct} ${facet.count}`;
      const isRepeated = side.form === 'choices' && seen.has(name);
      seen.add(name);
      return isRepeated ? [] : [side];
    });
}

/** What players of most games group by. */
const USUAL = /^(class|element|rarity|type|path|role|specialty|weapon|weapon_type|unit|plan)$/;

/** What readers look for first. */
function rankOf(id: string, attribute: Attribute | undefined): number {
  if (id.startsWith('stats.')) return 3;
  if (id.includes('.')) return 4;
  if (USUAL.test(id)) return 0;
  return attribute?.closed ? 1 : 2;
}

/**
 * Returns whether the values of a facet group records. Those of other facets name them.
 *
 * @param records how many records the list has
 */
export function groupsRecords(facet: FacetRecord, attribute: Known | undefined, records: number): boolean {
  const { id, type, distinct, count } = facet;
  if (NEVER.has(id) || /^name_/.test(id) || distinct === 0) return false;
  if (attribute?.kind === 'id' || isInternal(attribute ?? { key: id })) return false;
  if (type === 'number') return distinct > 1;
  if (distinct === 1) return count < records;
  // Values of few records, each with its own, group none of the others.
  const isFew = distinct <= FEW_NUMBERS && (distinct < count || count === records);
  return distinct <= MANY_VALUES && (isFew || distinct < count * OWN_SHARE);
}

function toSide(
  { id, type, values, rest, min = 0, max = 0 }: FacetRecord,
  attribute: Known,
  known: ReadonlyMap<string, { attribute: Attribute }>,
  lang: string,
): SideFacet {
  const outer = known.get(id.slice(0, Math.max(0, id.lastIndexOf('.'))))?.attribute;
  const ownLabel = labelOf(attribute, lang);
  // Stats need no prefix: their labels stand on their own in games.
  const label = outer && outer.key !== 'stats' ? `${labelOf(outer, lang)} · ${ownLabel}` : ownLabel;
  const base = { key: id, label, hint: attribute.description };
  if (type === 'number' && (values === undefined || values.length > FEW_NUMBERS))
    return { ...base, form: 'range', min, max, unit: unitOf(attribute) };
  const choices = (values ?? []).map(({ value, count, ...labels }) => ({
    value: String(value),
    label: choiceLabel(value, labelOf({ key: '', ...labels }, lang), values),
    count,
  }));
  return { ...base, form: 'choices', choices, more: rest?.distinct ?? 0 };
}

function choiceLabel(value: Scalar, label: string, values: FacetRecord['values']): string {
  if (label !== '') return label;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return wordsOfValue(String(value), values);
}

/** Returns the value at a dotted key of a record; undefined where it has none. */
export function valueAt(record: { [key: string]: Json }, key: string): Json | undefined {
  let part: Json | undefined = record;
  for (const step of key.split('.')) {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined;
    part = Object.hasOwn(part, step) ? part[step] : undefined;
  }
  return part;
}
