import path from 'node:path';
import type { CompiledBuild } from '../compile/compile-build.ts';
import { definitionsOf, surveyAttributes, visitSurvey } from '../compile/dictionary.ts';
import { atLine, type Expression, type Node, readsTable, rootOf } from '../compile/expression.ts';
import { nameTables } from '../compile/mapping.ts';
import { valuesAt } from '../diff/compare.ts';
import type { Place } from '../findings.ts';
import type { AttributeKind, Scalar } from '../format/attributes.ts';
import { isObject, type Json } from '../format/dist-format.ts';
import type { AttributeDefinition } from '../read/game-schema.ts';
import { countOf, nameSome } from '../text.ts';
import type { BuildData, ChangeCheck, ChangeFinding } from './data.ts';
import { type CollectionSurvey, isEmpty, type List, type Survey, type Surveyed } from './survey.ts';

// Checks of what game.json says: mappings and the attribute dictionary that the values of a build contradict.

const whereDropsAllCheck: ChangeCheck = {
  name: 'where-drops-all',
  description: 'A `where` of a dataset keeps at least one row of a table that has rows.',
  lasting: true,
  check: ({ build: { trace, source } }) =>
    [...trace.mapping.datasets].flatMap(([key, rows]): ChangeFinding[] => {
      const { rows: seen, kept } = trace.selections.get(key) ?? { rows: 0, kept: 0 };
      const isServed = seen > 0 && !Object.hasOwn(source.carried, key);
      // For the roster, `roster-size` reports it.
      if (!('where' in rows) || rows.where === undefined || !isServed || kept > 0) return [];
      return [
        {
          of: key,
          causes: [key],
          place: rows.where.place,
          found: `"where" drops all ${countOf(seen, 'row')} of table ${nameTables(rows)}, and "${key}" is empty`,
          expected: 'true for at least one row',
        },
      ];
    }),
};

/** The lists that expressions return, with each expression. */
function mappedLists({ build, after }: BuildData): { list: List; expression: Expression }[] {
  const { roster, datasets } = build.trace.mapping;
  const mapped = [...(roster ? ([['characters', roster]] as const) : []), ...datasets];
  return mapped.flatMap(([key, rows]) => {
    const list = after.lists.get(key);
    if (list === undefined) return [];
    const record = key === 'characters' ? roster?.record : undefined;
    const expressions = 'expression' in rows ? [rows.expression] : [rows.entry, ...(record ? [record] : [])];
    return expressions.map((expression) => ({ list, expression }));
  });
}

/** A look-up that finds nothing for this many new records has a wrong key. */
const MIN_MISSED = 5;

const attributeUnservedCheck: ChangeCheck = {
  name: 'attribute-unserved',
  description:
    'Every attribute that a mapping names has a value in at least one record. It is an error if at least five records are new and a look-up in another table finds none of them.',
  warns: true,
  lasting: true,
  check: (data) =>
    mappedLists(data).flatMap(({ list: { list, kind, records }, expression }): ChangeFinding[] => {
      // A table that is optional may be absent.
      const isWhole = [...(expression.tables ?? [])].every((table) => data.build.trace.tables.has(table));
      if (!isWhole || records.length < (kind === 'object' ? 1 : 3)) return [];
      const earlier = data.before?.lists.get(list)?.records;
      const { ast, text } = expression.parsed;
      const root = rootOf(ast);
      const where =
        kind === 'object' ? `the dataset "${list}"` : `all ${countOf(records.length, 'record')} of ${list}`;
      const unserved = namesWithoutValues(root, [], records, earlier ?? []);
      return [...new Map(Array.from(unserved, (each) => [each[0], each])).values()].map(
        ([key, position, value]) => {
          const isMissed = earlier === undefined && records.length >= MIN_MISSED && readsTable(root, value);
          return {
            of: `${list}.${key}`,
            place: atLine(expression.place, text.slice(0, position).split('\n').length),
            found: `no value for "${key}" in ${where}${isMissed ? ': its look-up in another table finds none of them' : ''}`,
            expected: 'a value in at least one record, because the mapping names it',
            ...(isMissed && {
              warns: false,
              fix: 'compare the keys of both tables (gamedata try), and correct the look-up, or "key" of the table in game.json',
            }),
          };
        },
      );
    }),
};

/**
 * Finds the names in the objects that an expression returns, as far as its text shows them, of which no record has a value: their dotted keys and
 * positions. What the previous build had is lost, and is not reported here.
 */
function* namesWithoutValues(
  node: Node,
  above: readonly string[],
  records: readonly Json[],
  earlier: readonly Json[],
): Generator<[key: string, position: number | undefined, value: Node]> {
  for (const { lhs } of objectsIn(node))
    for (const [{ type, value, position }, inside] of Array.isArray(lhs) ? (lhs as [Node, Node][]) : []) {
      if (type !== 'string') continue;
      const names = [...above, String(value)];
      const has = (record: Json) => hasValue(record, names);
      if (records.some(has)) yield* namesWithoutValues(inside, names, records, earlier);
      else if (!earlier.some(has)) yield [names.join('.'), position, inside];
    }
}

/** The object constructors whose results a node returns, alone or in a list. */
function* objectsIn(node: Node | undefined): Generator<Node> {
  if (node === undefined) return;
  const { type, value, expressions = [] } = node;
  if (type === 'unary' && value === '{') yield node;
  else if (type === 'unary' && value === '[') for (const each of expressions) yield* objectsIn(each);
  else if (type === 'block') yield* objectsIn(expressions.at(-1));
  else if (type === 'path' && node.group === undefined) yield* objectsIn(node.steps?.at(-1));
  else if (type === 'condition') for (const each of [node.then, node.else]) yield* objectsIn(each);
}

/** Whether a value has something at a path, in any element of the lists on the way. Null and empty values count as nothing; zero is a value. */
function hasValue(value: Json | undefined, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => hasValue(element, names));
  const [name, ...others] = names;
  if (name !== undefined)
    return isObject(value) && Object.hasOwn(value, name) && hasValue(value[name], others);
  if (value === undefined || value === null || value === '') return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

/** An attribute of a build, with its description in the dictionary. */
interface Served extends Surveyed {
  collection: string;
  definition: AttributeDefinition | undefined;
  collections: ReadonlyMap<string, CollectionSurvey>;
}

/** Visits the attributes of a build, an object before its members. @param visit returns whether to visit the members */
function visitServed(build: CompiledBuild, visit: (attribute: Served) => boolean): void {
  const { attributes } = build.source.definition;
  if (attributes === undefined) return;
  const collections = surveyAttributes(build);
  for (const [collection, survey] of collections) {
    const find = definitionsOf(attributes, collection);
    visitSurvey(survey.attributes, (attribute) =>
      visit({ ...attribute, collection, definition: find(attribute.key), collections }),
    );
  }
}

function placeOfDictionary({ source }: CompiledBuild): Place {
  return { file: path.posix.join(path.posix.dirname(source.folder), 'game.json'), pointer: '/attributes' };
}

const attributeUndescribedCheck: ChangeCheck = {
  name: 'attribute-undescribed',
  description: 'If a game describes its attributes, every attribute that it serves has a description.',
  warns: true,
  check({ build }) {
    const findings: ChangeFinding[] = [];
    visitServed(build, ({ key, count, collection, definition }) => {
      const isDescribed = definition?.description !== undefined;
      if (!isDescribed && count > 0)
        findings.push({
          of: `${collection}.${key}`,
          place: placeOfDictionary(build),
          found: `no description of "${key}" in ${collection}`,
          expected: 'a description of each attribute that is served',
          fix: `describe it in game.json: {"attributes": {"${collection}": {"${key}": {"description": "…"}}}}`,
        });
      // The attributes inside an undescribed one have the same cause.
      return isDescribed;
    });
    return findings;
  },
};

/** Fewer new references to nothing are of records that upstream adds later. */
const MIN_UNKNOWN = 5;

/** Whether all references of an attribute named records of a build. */
function isKnownIn({ lists }: Survey, collection: string, key: string, ref = ''): boolean {
  const ids = lists.get(ref)?.byId;
  const given = valuesAt(lists.get(collection)?.records ?? [], key.split('.'));
  return ids !== undefined && given.length > 0 && given.every((id) => isEmpty(id) || ids.has(String(id)));
}

const attributeUnexpectedCheck: ChangeCheck = {
  name: 'attribute-unexpected',
  description:
    'The values of an attribute are as the dictionary says: in the range, one of the values, of the kind and its unit, ids of the collection, and images at the hosts that game.json names. It is an error if five references lead to nothing and none did before.',
  warns: true,
  check({ build, before }) {
    const findings: ChangeFinding[] = [];
    visitServed(build, ({ collection, definition, collections, key, values }) => {
      const report = (found: string, expected: string, count: number) =>
        findings.push({
          of: `${collection}.${key}`,
          place: placeOfDictionary(build),
          expected,
          count,
          warns: count < MIN_UNKNOWN || !before || !isKnownIn(before, collection, key, definition?.ref),
          found: `${found} in "${key}" of ${collection}`,
        });
      for (const [expected, isExpected] of expectations(definition ?? {}, collections, build)) {
        const wrong = [...values.keys()].filter((value) => !isExpected(value));
        if (wrong.length > 0)
          report(nameSome(wrong.map((value) => JSON.stringify(value))), expected, wrong.length);
      }
      if (definition?.kind !== 'percentage') return true;
      let largest = 0;
      for (const value of values.keys()) largest = Math.max(largest, Math.abs(Number(value)) || 0);
      if (largest > 0 && !isShownRight(largest, definition.unit))
        report(
          `at most ${largest} in the unit ${JSON.stringify(definition.unit ?? null)}`,
          'the unit "fraction: 0.05 is 5 %" if 0.05 is 5 %, or "%" if 5 is 5 %',
          1,
        );
      return true;
    });
    return findings;
  },
};

/** Whether a unit suits a percentage with this maximum: a fraction that a game shows, or hundredths above 1. */
function isShownRight(largest: number, unit = ''): boolean {
  return unit.startsWith('fraction') ? largest >= 0.005 : unit !== '' && largest > 1;
}

const isNumber = (value: Scalar) => typeof value === 'number';
const hasForm = (form: RegExp) => (value: Scalar) => typeof value === 'string' && form.test(value);

type Expectation = [expected: string, isExpected: (value: Scalar) => boolean];

const KINDS: Partial<Record<AttributeKind, Expectation>> = {
  number: ['numbers', isNumber],
  percentage: ['numbers', isNumber],
  date: ['dates in ISO 8601', hasForm(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/)],
  color: ['colors as #rrggbb', hasForm(/^#[0-9a-f]{6}$/i)],
  image: ['addresses of images', hasForm(/^https?:\/\//)],
};

function* expectations(
  { expected = {}, values, kind, ref }: AttributeDefinition,
  collections: ReadonlyMap<string, CollectionSurvey>,
  { source: { images } }: CompiledBuild,
): Generator<Expectation> {
  const { min = -Infinity, max = Infinity } = expected;
  if (min > -Infinity || max < Infinity)
    yield [
      `numbers from ${min} to ${max}, as the dictionary says`,
      (value) => Number(value) >= min && Number(value) <= max,
    ];
  const allowed = values && new Set(Array.isArray(values) ? values.map(String) : Object.keys(values));
  if (allowed) yield ['only values that the dictionary lists', (value) => allowed.has(String(value))];
  const form = kind && KINDS[kind];
  if (form) yield form;
  const hosts = images?.hosts ?? [];
  if (kind === 'image')
    yield [
      hosts.length > 0
        ? `images at ${hosts.join(', ')}`
        : '"images" in game.json, which says where the images are',
      (value) => !URL.canParse(String(value)) || hosts.includes(new URL(String(value)).host),
    ];
  // Earlier builds may lack the collection.
  const ids = ref === undefined ? undefined : collections.get(ref)?.attributes.get('id')?.values;
  if (ids) yield [`ids of ${ref}`, (value) => ids.has(value)];
}

export const DEFINITION_CHECKS = [
  whereDropsAllCheck,
  attributeUnservedCheck,
  attributeUndescribedCheck,
  attributeUnexpectedCheck,
];
