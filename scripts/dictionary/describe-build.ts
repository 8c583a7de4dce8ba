import type { CompiledBuild } from '../compile/compile-build.ts';
import type {
  Attribute,
  AttributeDictionary,
  AttributeKind,
  AttributeValue,
  CollectionAttributes,
  Labels,
  Scalar,
} from '../format/attributes.ts';
import { compareNatural } from '../format/dist-format.ts';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  RawValues,
} from '../read/game/attribute-definition.ts';
import { DefinitionsOf } from './definitions.ts';
import { type CollectionSurvey, type Surveyed, surveyBuild } from './survey.ts';

/** Of an attribute that is not a closed set, all values are listed if there are at most this many. */
const MAX_VALUES = 50;
/** A longer text is neither a value to choose from nor an example. */
const MAX_TEXT = 100;
const MAX_EXAMPLES = 3;

/** Returns the attribute dictionary of a compiled build. */
export function describeBuild(build: CompiledBuild): AttributeDictionary {
  const { attributes } = build.source.definition;
  return Object.fromEntries(
    [...surveyBuild(build)].map(([name, survey]) => [name, describeCollection(survey, attributes, name)]),
  );
}

/**
 * Describes the attributes of a collection.
 *
 * @param definitions what game.json says
 * @param name `characters` or the key of a dataset
 */
export function describeCollection(
  { records, attributes: surveyed }: CollectionSurvey,
  definitions: AttributeDefinitions | undefined,
  name: string,
): CollectionAttributes {
  const definitionsOf = new DefinitionsOf(definitions, name);
  const attributes: Attribute[] = [];
  const describeAll = (surveyed: ReadonlyMap<string, Surveyed>, objects: number, level?: string): void => {
    for (const attribute of inOrder(surveyed)) {
      const definition = { ...(level && { level }), ...definitionsOf.find(attribute.key) };
      attributes.push(describeAttribute(attribute, definition, objects));
      describeAll(attribute.inside, attribute.objects, definition.level);
    }
  };
  describeAll(surveyed, records);
  return { records, attributes };
}

/** `id` and `name` first, then in natural order. */
function inOrder(surveyed: ReadonlyMap<string, Surveyed>): Surveyed[] {
  const rank = (name: string) => (name === 'id' ? 0 : name === 'name' ? 1 : 2);
  return [...surveyed]
    .sort(([a], [b]) => rank(a) - rank(b) || compareNatural(a, b))
    .map(([, attribute]) => attribute);
}

function describeAttribute(
  surveyed: Surveyed,
  { values: defined, kind, ...definition }: AttributeDefinition,
  objects: number,
): Attribute {
  const { key, type, list, nullable, owners, count } = surveyed;
  const kinds = kindOf(surveyed, kind, definition.ref);
  return {
    key,
    ...definition,
    ...(kinds && { kind: kinds }),
    ...(type && { type }),
    list,
    ...(owners < objects && { optional: true }),
    ...(nullable && { nullable }),
    count,
    ...(type !== 'object' && type !== undefined && describeValues(surveyed, defined, kinds)),
  };
}

function kindOf(
  { type }: Surveyed,
  kind: AttributeKind | undefined,
  ref: string | undefined,
): AttributeKind | undefined {
  if (kind) return kind;
  if (ref !== undefined) return 'reference';
  if (type === 'string') return 'text';
  return type === 'integer' || type === 'number' ? 'number' : undefined;
}

/** Kinds whose values nobody chooses from a list. */
const UNLISTED: ReadonlySet<AttributeKind | undefined> = new Set(['id', 'image', 'date']);

function describeValues(
  { key, values }: Surveyed,
  defined: RawValues | undefined,
  kind: AttributeKind | undefined,
): Partial<Attribute> {
  const distinct = [...values.keys()];
  const numbers = distinct.filter((value) => typeof value === 'number');
  const range = numbers.length > 0 && { min: Math.min(...numbers), max: Math.max(...numbers) };
  const isShort = (value: Scalar) => typeof value !== 'string' || value.length <= MAX_TEXT;
  const isListed =
    defined !== undefined ||
    (distinct.length <= MAX_VALUES &&
      distinct.every(isShort) &&
      !UNLISTED.has(kind) &&
      !/^name(_|$)/.test(key));
  if (!isListed) {
    const examples = distinct.filter(isShort).slice(0, MAX_EXAMPLES);
    return { distinct: distinct.length, ...range, ...(examples.length > 0 && { examples }) };
  }
  return {
    ...(defined !== undefined && { closed: true }),
    distinct: distinct.length,
    ...range,
    values: listValues(values, defined),
  };
}

function listValues(values: ReadonlyMap<Scalar, number>, defined: RawValues | undefined): AttributeValue[] {
  const labels = labelsOf(defined);
  return [...values]
    .sort(([a], [b]) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : compareNatural(String(a), String(b)),
    )
    .map(([value, count]) => ({ value, ...labels.get(String(value)), count }));
}

/** The labels of values, by the values as texts. */
function labelsOf(defined: RawValues | undefined): ReadonlyMap<string, Labels> {
  if (defined === undefined || Array.isArray(defined)) return new Map();
  return new Map(
    Object.entries(defined).map(([value, label]) => [
      value,
      typeof label === 'string' ? { label } : (label as Labels),
    ]),
  );
}
