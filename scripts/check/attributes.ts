import type { CompiledRecord } from '../compile/compile-build.ts';
import { eachAttribute, isObject, type Json } from '../dist-format.ts';
import { type Finding, pointerTo } from '../findings.ts';
import { type Check, listsOf, recordError } from './check.ts';

const RESERVED = new Set(['q', 'sort', 'limit', 'offset', 'ids', 'fields']);
const MOST_ATTRIBUTES = 1000;
// Control characters would be as hard to type in an address as they are to see in a message.
const validName = /^(?!-)[^.,[\]\p{Cc}]{1,64}$/u;

export const attributeNamesCheck: Check = {
  name: 'attribute-names',
  description:
    'Attributes that can be filtered by have names that an address can carry, and not too many of them.',
  check: (build) =>
    listsOf(build).flatMap(([list, records]): Finding[] => {
      const seen = new Set<string>();
      const findings: Finding[] = [];
      for (const record of records) {
        for (const [path, name] of attributeNames(record.record)) {
          const key = JSON.stringify(path);
          if (seen.has(key)) continue;
          seen.add(key);
          const expected = expectName(name, path.length === 1);
          if (expected)
            findings.push(
              recordError(
                'attribute-names',
                record,
                pointerTo('', ...path),
                `the attribute "${name}"`,
                expected,
              ),
            );
        }
        if (seen.size > MOST_ATTRIBUTES) {
          const found = `more than ${MOST_ATTRIBUTES} different attributes in ${list}`;
          const expected =
            'few attributes; things keyed by id inside a record go into a list of objects with ids';
          return [...findings, recordError('attribute-names', record, '', found, expected)];
        }
      }
      return findings;
    }),
};

function expectName(name: string, top: boolean): string | undefined {
  if (!validName.test(name))
    return 'a name of 1 to 64 characters without ".", ",", "[", "]" and control characters, not starting with "-"';
  return top && RESERVED.has(name)
    ? `a name other than ${[...RESERVED].join(', ')}, which are parameters`
    : undefined;
}

/** The path and last name of every attribute that is reached through objects. */
function* attributeNames(object: Record<string, Json>, path: string[] = []): Generator<[string[], string]> {
  for (const [name, value] of Object.entries(object)) {
    yield [[...path, name], name];
    if (isObject(value)) yield* attributeNames(value, [...path, name]);
  }
}

export const attributeKindsCheck: Check = {
  name: 'attribute-kinds',
  description:
    'An attribute is of one kind in all records of a list: number, text, boolean, object or a list of one of them.',
  check: (build) =>
    listsOf(build).flatMap(([list, records]) => {
      const first = new Map<string, { kind: string; record: CompiledRecord }>();
      const findings: Finding[] = [];
      for (const record of records) {
        eachAttribute(record.record, (key, value) => {
          const kind = kindOf(value);
          const known = first.get(key);
          if (kind === undefined) return;
          if (kind.includes(' and ')) findings.push(mixedListError(record, key, kind));
          else if (known === undefined) first.set(key, { kind, record });
          else if (known.kind !== kind) findings.push(kindError(list, record, key, kind, known));
        });
      }
      return findings;
    }),
};

function mixedListError(record: CompiledRecord, key: string, kind: string): Finding {
  const pointer = pointerTo('', ...key.split('.'));
  return recordError('attribute-kinds', record, pointer, kind, 'a list whose elements are of one kind');
}

function kindError(
  list: string,
  record: CompiledRecord,
  key: string,
  kind: string,
  known: { kind: string; record: CompiledRecord },
): Finding {
  const owner = known.record.record.id;
  const elsewhere = typeof owner === 'string' ? `record "${owner}"` : 'an earlier record';
  const oneOfList = known.kind.startsWith('a list of') !== kind.startsWith('a list of');
  return {
    ...recordError(
      'attribute-kinds',
      record,
      pointerTo('', ...key.split('.')),
      kind,
      `${known.kind}, as in ${elsewhere} of ${list}`,
    ),
    ...(oneOfList && { fix: 'make it a list everywhere: in JSONata write [ … ] or name[]' }),
  };
}

/** The kind of a value; undefined where it tells none (null, an empty list). */
function kindOf(value: Json): string | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return KINDS[typeof value];
  const kinds = new Set(
    value.map((element) =>
      Array.isArray(element) ? 'lists' : LIST_KINDS[element === null ? 'null' : typeof element],
    ),
  );
  if (kinds.size === 0) return undefined;
  return `a list of ${[...kinds].sort().join(' and ')}`;
}

const KINDS: Record<string, string> = {
  number: 'a number',
  string: 'a text',
  boolean: 'a boolean',
  object: 'an object',
};
const LIST_KINDS: Record<string, string> = {
  number: 'numbers',
  string: 'texts',
  boolean: 'booleans',
  object: 'objects',
  null: 'nulls',
};
