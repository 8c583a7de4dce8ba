import type { CompiledRecord } from '../compile/compile-build.ts';
import { eachAttribute, RESERVED_ATTRIBUTES } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { type Check, type CheckFinding, describePlace, listsOf, recordError } from './check.ts';
import { describeKind, equalKinds, type Kind, kindOf } from './kinds.ts';
import type { ListSurvey } from './survey.ts';

const MAX_ATTRIBUTES = 1000;
/** No valid name contains a control character. */
const SEPARATOR = '\0';
const reserved = new Set<string>(RESERVED_ATTRIBUTES);
// Control characters are hard to type in an address, and invisible in a message.
const validName = /^(?!-)[^.,[\]\p{Cc}]{1,64}$/u;

export const attributeNamesCheck: Check = {
  name: 'attribute-names',
  description:
    'The attributes of a list have names that can be used in a query, and there are at most 1,000 of them.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/items.json': [{ max_level: 90 }] },
  fails: { '1.0/items.json': [{ 'max.level': 90 }] },
  check: (build, _known, { lists }) =>
    listsOf(build).flatMap(([list, records]): CheckFinding[] => {
      if (hasValidNames(lists.get(list))) return [];
      const seen = new Set<string>();
      const findings: CheckFinding[] = [];
      for (const record of records) {
        eachAttribute(record.record, (_key, _value, path) => {
          // The dotted key would not do: a name that contains a dot would count as an attribute of an object.
          const attribute = path.join(SEPARATOR);
          if (seen.has(attribute)) return;
          seen.add(attribute);
          const name = path.at(-1) ?? '';
          const expected = expectName(name, path.length === 1);
          if (expected === undefined) return;
          const pointer = pointerTo('', ...path);
          findings.push(recordError(record, pointer, `the attribute ${JSON.stringify(name)}`, expected));
        });
        if (seen.size > MAX_ATTRIBUTES) return [...findings, manyAttributesError(list, record)];
      }
      return findings;
    }),
};

/** Whether all names are valid, as far as the survey shows: only the records say where another one is. */
function hasValidNames(list: ListSurvey | undefined): boolean {
  if (list === undefined || list.hasDots || list.attributes.size > MAX_ATTRIBUTES) return false;
  return [...list.attributes.values()].every(
    ({ path }) => expectName(path.at(-1) ?? '', path.length === 1) === undefined,
  );
}

function expectName(name: string, top: boolean): string | undefined {
  if (!validName.test(name))
    return 'a name of 1 to 64 characters without ".", ",", "[", "]" and control characters, not starting with "-"';
  return top && reserved.has(name)
    ? `a name other than ${RESERVED_ATTRIBUTES.join(', ')}, which are query parameters of every list`
    : undefined;
}

function manyAttributesError(list: string, record: CompiledRecord): CheckFinding {
  const found = `more than ${MAX_ATTRIBUTES} different attributes in ${list}`;
  return {
    ...recordError(record, '', found, `at most ${MAX_ATTRIBUTES}, including those inside objects`),
    fix: 'replace objects that are keyed by id with lists of objects that have ids',
  };
}

export const attributeKindsCheck: Check = {
  name: 'attribute-kinds',
  description:
    'An attribute has one kind in all records of a list: number, text, boolean, object or a list of one of them. Null is of every kind.',
  scope: 'build',
  severity: 'error',
  passes: {
    '1.0/items.json': [
      { cost: 1, slots: ['a', null] },
      { cost: null, slots: [null] },
    ],
  },
  fails: { '1.0/items.json': [{ cost: 1 }, { cost: 'free' }] },
  check: (build, _known, { lists }) =>
    listsOf(build).flatMap(([list, records]) => {
      if (lists.get(list)?.hasMixedKinds === false) return [];
      const first = new Map<string, KnownKind>();
      const findings: CheckFinding[] = [];
      for (const record of records) {
        eachAttribute(record.record, (key, value, path) => {
          const kind = kindOf(value);
          if (kind === undefined) return;
          const attribute = first.get(key);
          if (kind.types.length > 1) findings.push(mixedListError(record, path, kind));
          else if (attribute === undefined) first.set(key, { kind, record });
          else if (!equalKinds(attribute.kind, kind))
            findings.push(kindError(list, record, path, kind, attribute));
        });
      }
      return findings;
    }),
};

/** The kind of an attribute, and the first record whose attribute shows it. */
interface KnownKind {
  kind: Kind;
  record: CompiledRecord;
}

function mixedListError(record: CompiledRecord, path: readonly string[], kind: Kind): CheckFinding {
  const expected = 'a list whose elements are of one kind';
  return recordError(record, pointerTo('', ...path), describeKind(kind), expected);
}

function kindError(
  list: string,
  record: CompiledRecord,
  path: readonly string[],
  kind: Kind,
  known: KnownKind,
): CheckFinding {
  const { id } = known.record.record;
  const elsewhere =
    typeof id === 'string'
      ? `record "${id}" of ${list}`
      : `the record at ${describePlace(known.record.place)}`;
  const expected = `${describeKind(known.kind)}, as in ${elsewhere}`;
  return {
    ...recordError(record, pointerTo('', ...path), describeKind(kind), expected),
    ...(known.kind.list !== kind.list && {
      fix: `make it a list in every record${record.raw ? '' : ': in JSONata write [ … ] or name[]'}`,
    }),
  };
}
