import type { Survey } from '../changes/survey.ts';
import type { CompiledBuild, CompiledRecord } from '../compile/compile-build.ts';
import { nameTables } from '../compile/mapping.ts';
import { type CheckName, causeOf, type Finding, type Place, quoteValue } from '../findings.ts';
import * as dist from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { stemOf } from '../read/formats.ts';
import { compileSchema, findMismatches } from '../read/schema.ts';
import { countOf, isUnsafeInteger } from '../text.ts';

/** The description that every check has. */
export interface Rule {
  /** Part of the published findings and overrides, so it never changes. */
  name: CheckName;
  /** The rule, as a sentence. */
  description: string;
  /** An error prevents a build from being written; a warning does not. */
  severity: Finding['severity'];
}

/**
 * A finding. `checkBuild` adds the check's name and severity. `follows`: a known finding is the cause, and only that is listed. `record`: the record
 * that it is about.
 */
export type CheckFinding = Omit<Finding, 'check' | 'severity'> & {
  follows?: boolean;
  record?: dist.JsonObject;
};

/** A rule for every build, independent of earlier builds. No override can lift it. `check` is pure. */
export interface Check extends Rule {
  /**
   * @param known the findings of reading the game's files
   * @returns a generator: there can be as many findings as records
   */
  check(build: CompiledBuild, known: readonly Finding[], survey: Survey): Iterable<CheckFinding>;
}

/** A finding about a part of a compiled record, at the most exact known place in the raw file. */
export function recordError(
  { record, place, raw }: CompiledRecord,
  pointer: string,
  found: string,
  expected: string,
): CheckFinding {
  const owner = typeof record.id === 'string' ? `record "${record.id}"` : 'record';
  const where = pointer === '' ? 'in' : `at "${pointer}" of`;
  return {
    place: raw ? { ...place, pointer: place.pointer + pointer } : place,
    found: raw ? found : `${found} ${where} the compiled ${owner}`,
    expected,
    record,
    // The fault is in the mapping.
    ...(!raw && { cause: causeOf(pointer, found.replace(/".*"/, ''), expected) }),
  };
}

/** A second place, for the text of a finding. */
function describePlace({ file, line, pointer }: Place): string {
  return `${file}${line === undefined ? '' : `:${line}`} ${pointer}`.trimEnd();
}

/** Whether reading found a fault in a file that is served unchanged: that of the dataset with this key, or `characters`. */
function hasFaultyFile(readFindings: readonly Finding[], key: string): boolean {
  return readFindings.some(({ severity, place }) => severity === 'error' && stemOf(place.file) === key);
}

/** The lists of a build with their names in findings: `characters` and every dataset that is a list. */
function listsOf(build: CompiledBuild): [string, CompiledRecord[]][] {
  const datasets = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] =>
    dataset.kind === 'list' ? [[dataset.key, dataset.records]] : [],
  );
  return [['characters', build.characters], ...datasets];
}

/** The kind of a value as bits: its type or, for a list, `LIST` and the types of its elements; 0 for null, which has none. */
export type Kind = number;

const TYPES = ['boolean', 'list', 'number', 'object', 'text'] as const;
const [BOOLEAN, LIST_INSIDE, NUMBER, OBJECT, TEXT] = [1, 2, 4, 8, 16] as const;
/** The kind of a list without values, which may be of any type. */
export const LIST = 32;

/** Null in a list does not count. */
export function kindOfValue(value: dist.Json): Kind {
  if (value === null) return 0;
  if (!Array.isArray(value)) return typeOf(value);
  let kind: Kind = LIST;
  for (const element of value) if (element !== null) kind |= typeOf(element);
  return kind;
}

function typeOf(value: Exclude<dist.Json, null>): Kind {
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  if (typeof value === 'boolean') return BOOLEAN;
  return Array.isArray(value) ? LIST_INSIDE : OBJECT;
}

/** Whether a list has elements of several types. */
export function isMixed(kind: Kind): boolean {
  const types = kind & ~LIST;
  return (types & (types - 1)) !== 0;
}

/** Whether two kinds can belong to the same attribute. */
export function equalKinds(a: Kind, b: Kind): boolean {
  return a === b || Math.min(a, b) === LIST;
}

/** The words for a kind in messages: `a number`, `a list of texts`. */
export function describeKind(kind: Kind): string {
  const types = TYPES.filter((_, at) => kind & (1 << at));
  if (kind === LIST) return 'an empty list';
  if (kind > LIST) return `a list of ${types.map((type) => `${type}s`).join(' and ')}`;
  return kind === OBJECT ? 'an object' : `a ${types.join()}`;
}

const rosterSizeCheck: Check = {
  name: 'roster-size',
  description: 'A roster has at least one character.',
  severity: 'error',
  check: ({ source, characters, rosterPlace, rosterTableMissing, trace }, readFindings) => {
    if (characters.length > 0) return [];
    const { rows, kept } = trace.selections.get('characters') ?? { rows: 0, kept: 0 };
    // If the roster's source could not be read, or its expressions failed, that is already reported.
    const follows =
      rosterTableMissing || kept > 0
        ? readFindings.some(({ severity }) => severity === 'error')
        : hasFaultyFile(readFindings, 'characters') ||
          readFindings.some(({ check }) => check === 'expression-result');
    const roster = trace.mapping.roster;
    const where = rows > 0 && kept === 0 ? roster?.where : undefined;
    const dropped =
      roster && where && `"where" drops all ${countOf(rows, 'row')} of table ${nameTables(roster)}`;
    const buildFile = `${source.folder}/build.json`;
    return [
      {
        place: where?.place ?? rosterPlace,
        found: `no character in build ${source.build}${dropped ? `: ${dropped}` : ''}`,
        expected: 'at least one',
        follows,
        ...(rosterPlace.file === buildFile && {
          fix: 'put characters.json or characters.csv beside build.json, or map the roster in game.json',
        }),
      },
    ];
  },
};

/** The schema that every character of every game matches. */
const validate = compileSchema({
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: {
      type: 'string',
      pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$',
      description: 'a URL-safe id (letters, digits, ".", "_", "~", "-"; 1 to 128; not "." or "..")',
    },
    name: { type: 'string', minLength: 1 },
    rarity: { type: 'integer' },
    attack: { type: 'string' },
    stats: { type: 'object', additionalProperties: { type: 'number' } },
  },
  patternProperties: { '^name_': { type: 'string' } },
});

const characterSchemaCheck: Check = {
  name: 'character-schema',
  description: 'Every character matches the core schema: id, name, rarity, attack, stats, name_xx.',
  severity: 'error',
  *check({ characters }) {
    for (const character of characters) {
      for (const { pointer, found, expected } of findMismatches(validate, character.record)) {
        const others = found === 'null' ? ', or nothing where it is not known' : '';
        yield recordError(character, pointer, found, expected + others);
      }
    }
  },
};

const idsCheck: Check = {
  name: 'ids',
  description:
    'In a list, all records have an id, or none. An id is a text without commas, and no two records share one.',
  severity: 'error',
  *check(build) {
    for (const [list, records] of listsOf(build)) {
      if (!records.some(({ record }) => record.id !== undefined)) continue;
      const seen = new Map<string, CompiledRecord>();
      for (const record of records) {
        const id = record.record.id;
        if (typeof id !== 'string' || id === '' || id.includes(',')) {
          // For characters, the check `character-schema` reports it.
          if (list === 'characters') continue;
          const expected =
            id === undefined
              ? `an id, since other records of ${list} have one`
              : 'an id: a text without commas, not empty';
          yield recordError(record, '/id', quoteValue(id), expected);
          continue;
        }
        const twin = seen.get(id);
        seen.set(id, record);
        if (!twin) continue;
        const expected = `an id that no other record has; ${describePlace(twin.place)} has this one`;
        yield recordError(record, '/id', `"${id}" a second time in ${list}`, expected);
      }
    }
  },
};

const MAX_ATTRIBUTES = 1000;
const reserved = new Set<string>(dist.RESERVED_ATTRIBUTES);
// Control characters are hard to type in an address, and invisible in a message.
const validName = /^(?!-)[^.,[\]\p{Cc}]{1,64}$/u;

const attributeNamesCheck: Check = {
  name: 'attribute-names',
  description:
    'The attributes of a list have names that can be used in a query, and there are at most 1,000 of them.',
  severity: 'error',
  check: (build, _known, { lists }) =>
    listsOf(build).flatMap(([list, records]): CheckFinding[] => {
      const attributes = [...(lists.get(list)?.attributes.values() ?? [])];
      const findings = attributes.flatMap(({ path, first }): CheckFinding[] => {
        const name = path.at(-1) ?? '';
        const expected = expectName(name, path.length === 1);
        const record = records[first];
        if (expected === undefined || record === undefined) return [];
        const found = `the attribute ${JSON.stringify(name)}`;
        return [recordError(record, pointerTo('', ...path), found, expected)];
      });
      const record = records[attributes[MAX_ATTRIBUTES]?.first ?? -1];
      if (record === undefined) return findings;
      const found = `more than ${MAX_ATTRIBUTES} different attributes in ${list}`;
      const expected = `at most ${MAX_ATTRIBUTES}, including those inside objects`;
      const many = recordError(record, '', found, expected);
      return [
        ...findings,
        { ...many, fix: 'replace objects that are keyed by id with lists of objects that have ids' },
      ];
    }),
};

function expectName(name: string, top: boolean): string | undefined {
  if (!validName.test(name))
    return 'a name of 1 to 64 characters without ".", ",", "[", "]" and control characters, not starting with "-"';
  return top && reserved.has(name)
    ? `a name other than ${dist.RESERVED_ATTRIBUTES.join(', ')}, which are query parameters of every list`
    : undefined;
}

const attributeKindsCheck: Check = {
  name: 'attribute-kinds',
  description:
    'An attribute has one kind in all records of a list, also inside lists: number, text, boolean, object or a list of one of them. Null is of every kind.',
  severity: 'error',
  check: (build, _known, { lists }) =>
    listsOf(build).flatMap(([list, records]) => {
      if (lists.get(list)?.hasMixedKinds === false) return [];
      const first = new Map<string, KnownKind>();
      const findings: CheckFinding[] = [];
      for (const record of records) {
        for (const { key, pointer, value } of eachValue(record.record)) {
          const kind = kindOfValue(value);
          if (kind === 0) continue;
          const attribute = first.get(key);
          if (isMixed(kind)) findings.push(mixedListError(record, pointer, value, kind));
          else if (attribute && !equalKinds(attribute.kind, kind))
            findings.push(kindError(list, record, pointer, value, attribute));
          else if (attribute === undefined || attribute.kind < kind) first.set(key, { kind, record, value });
        }
      }
      return findings;
    }),
};

/** Visits every attribute of an object, including objects in its lists. The key does not say which element of a list it belongs to. */
function* eachValue(
  object: dist.JsonObject,
  above = '',
  at = '',
): Generator<{ key: string; pointer: string; value: dist.Json }> {
  for (const [name, value] of Object.entries(object)) {
    const [key, pointer] = [above + name, pointerTo(at, name)];
    yield { key, pointer, value };
    if (dist.isObject(value)) yield* eachValue(value, `${key}.`, pointer);
    if (!Array.isArray(value)) continue;
    for (const [index, element] of value.entries())
      if (dist.isObject(element)) yield* eachValue(element, `${key}.`, pointerTo(pointer, index));
  }
}

/** The kind of an attribute, and the first record with it. */
interface KnownKind {
  kind: Kind;
  record: CompiledRecord;
  value: dist.Json;
}

/** Advice if one of the values is a text because a number cannot represent the integer exactly. */
function adviseLongInteger(...values: dist.Json[]): { fix?: string } {
  const long = values.flat().find((value) => typeof value === 'string' && isUnsafeInteger(value));
  if (long === undefined) return {};
  return {
    fix: `${long} is larger than a number holds exactly, and so is a text: make all of them texts, with quotes in the file, :string in the header of CSV, or $string() in the mapping`,
  };
}

function mixedListError(record: CompiledRecord, pointer: string, value: dist.Json, kind: Kind): CheckFinding {
  const expected = 'a list whose elements are of one kind';
  return {
    ...recordError(record, pointer, describeKind(kind), expected),
    ...(kind === (LIST | NUMBER | TEXT) && adviseLongInteger(value)),
  };
}

function kindError(
  list: string,
  record: CompiledRecord,
  pointer: string,
  value: dist.Json,
  known: KnownKind,
): CheckFinding {
  const kind = kindOfValue(value);
  const isOneList = kind >= LIST !== known.kind >= LIST;
  const isText = ((kind | known.kind) & (NUMBER | TEXT)) === (NUMBER | TEXT);
  const { id } = known.record.record;
  const elsewhere =
    typeof id === 'string'
      ? `record "${id}" of ${list}`
      : `the record at ${describePlace(known.record.place)}`;
  const expected = `${describeKind(known.kind)}, as in ${elsewhere}`;
  return {
    ...recordError(record, pointer, describeKind(kind), expected),
    ...(isOneList
      ? { fix: `make it a list in every record${record.raw ? '' : ': in JSONata write [ … ] or name[]'}` }
      : isText && adviseLongInteger(value, known.value)),
  };
}

const reservedKeys = new Set<string>(dist.RESERVED_DATASET_KEYS);
const validKey = new RegExp(dist.DATASET_KEY);

const datasetKeysCheck: Check = {
  name: 'dataset-keys',
  description: 'Dataset keys are snake_case, and none is an address that the API uses for something else.',
  severity: 'error',
  check: ({ datasets }) =>
    datasets.flatMap(({ key, place }): CheckFinding[] => {
      const expected = expectKey(key);
      if (expected === undefined) return [];
      return [
        {
          place,
          found: `a dataset named "${key}"`,
          expected,
          ...(key === 'characters' && {
            fix: 'the roster is mapped by "roster" in game.json; a raw file of this name goes into "tables" there',
          }),
        },
      ];
    }),
};

function expectKey(key: string): string | undefined {
  if (!validKey.test(key))
    return 'a key in snake_case: words of lowercase letters and digits, joined by one "_", starting with a letter; at most 64 characters';
  return reservedKeys.has(key)
    ? `a key other than ${dist.RESERVED_DATASET_KEYS.join(', ')}, whose addresses the API uses for something else`
    : undefined;
}

const requiredDatasetsCheck: Check = {
  name: 'required-datasets',
  description: 'Every build has the datasets that every game must have, and they are not empty.',
  severity: 'error',
  check: ({ source, datasets }, readFindings, { lists }) =>
    dist.REQUIRED_DATASETS.flatMap((key): CheckFinding[] => {
      const dataset = datasets.find((candidate) => candidate.key === key);
      if (dataset && lists.get(key)?.attributes.size) return [];
      return [
        {
          place: dataset?.place ?? { file: `${source.folder}/build.json`, pointer: '', line: 1 },
          found: `${dataset ? 'an empty' : 'no'} dataset "${key}" in build ${source.build}`,
          expected: `"${key}" in every build of every game`,
          fix: `write ${source.folder}/${key}.json (what a pull costs, pity and guarantees), or map it in game.json`,
          follows: dataset === undefined && hasFaultyFile(readFindings, key),
        },
      ];
    }),
};

const datasetSchemasCheck: Check = {
  name: 'dataset-schema',
  description: 'Records match the JSON Schemas that game.json names for them.',
  severity: 'error',
  *check(build) {
    const { schemas, definition } = build.source;
    const isMapped = (key: string) => definition.datasets.some((dataset) => dataset.key === key);
    const objects = build.datasets.flatMap((dataset): [string, CompiledRecord[]][] => {
      if (dataset.kind === 'list') return [];
      const { key, object, place } = dataset;
      return [[key, [{ record: object, place, raw: !isMapped(key) }]]];
    });
    for (const [key, records] of [...listsOf(build), ...objects]) {
      const mismatchesOf = schemas.get(key)?.mismatchesOf;
      if (mismatchesOf === undefined) continue;
      for (const record of records)
        for (const { pointer, found, expected } of mismatchesOf(record.record))
          yield recordError(record, pointer, found, expected);
    }
  },
};

/** The rules that hold in every build. */
export const CHECKS: readonly Check[] = [
  rosterSizeCheck,
  characterSchemaCheck,
  idsCheck,
  attributeNamesCheck,
  attributeKindsCheck,
  datasetKeysCheck,
  requiredDatasetsCheck,
  datasetSchemasCheck,
];

/**
 * Runs all checks on a compiled build, even after findings.
 *
 * @param readFindings the findings of reading the files of this build and earlier ones
 */
export function* checkBuild(
  build: CompiledBuild,
  readFindings: readonly Finding[],
  survey: Survey,
): Generator<Finding & Pick<CheckFinding, 'follows'>> {
  let keys: ReturnType<typeof carryKeys> | undefined;
  for (const rule of CHECKS)
    for (const { record, ...finding } of rule.check(build, readFindings, survey)) {
      if (record) keys ??= carryKeys(build);
      const key = record && keys?.get(record);
      const carry = key === undefined ? {} : { carry: [key] };
      yield { check: rule.name, severity: rule.severity, ...finding, ...carry };
    }
}

/** The key of each record in `carried`: its list and id; without an id, and for an object, its dataset. */
function carryKeys(build: CompiledBuild): Map<dist.JsonObject, string> {
  const ofLists = listsOf(build).flatMap(([list, records]) =>
    records.flatMap(({ record }) => {
      const hasId = typeof record.id === 'string' && record.id !== '';
      if (!hasId && list === 'characters') return [];
      return [[record, hasId ? `${list}/${record.id}` : list] as const];
    }),
  );
  const objects = build.datasets.flatMap((each) =>
    each.kind === 'object' ? [[each.object, each.key] as const] : [],
  );
  return new Map([...ofLists, ...objects]);
}
