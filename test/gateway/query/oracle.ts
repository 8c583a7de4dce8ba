import type { RawQuery } from '../../../gateway/lib/raw-query.ts';
import { foldText, toInitials } from '../../../gateway/query/fold.ts';
import { compareNatural, eachAttribute, type JsonObject } from '../../../scripts/format/dist-format.ts';

type Scalar = string | number | boolean;

/** Finds the expected result of a query in the simplest way: filter all records, sort them, cut out the page. */
export function askNaively(
  records: readonly JsonObject[],
  query: RawQuery,
  defaultLimit: number | undefined,
) {
  const one = (name: string) => query.find(([given]) => given === name)?.[1];
  const ids = one('ids')?.split(',');
  const facets = query.filter(([name]) => !['q', 'sort', 'limit', 'offset', 'ids'].includes(name));
  const names = [...new Set(facets.map(([name]) => name))];

  let found = records.filter((record) =>
    names.every((name) =>
      matches(
        record,
        name,
        facets.filter(([given]) => given === name).map(([, value]) => value),
        records,
      ),
    ),
  );
  const q = one('q');
  if (q !== undefined) found = found.filter((record) => hasName(record, q));
  if (ids) found = [...new Set(ids)].flatMap((id) => found.filter((record) => record.id === id));
  const sort = one('sort') ?? (ids ? undefined : 'id');
  if (sort) found = found.toSorted((a, b) => compare(a, b, sort.split(',')));

  const offset = Number(one('offset') ?? 0);
  const limit = one('limit') === undefined ? (defaultLimit ?? found.length) : Number(one('limit'));
  return { total: found.length, ids: found.slice(offset, offset + limit).map(({ id }) => id) };
}

function valuesOf(record: JsonObject, key: string): Scalar[] {
  const values: Scalar[] = [];
  eachAttribute(record, (name, value) => {
    if (name !== key || value === null) return;
    for (const element of Array.isArray(value) ? value : [value])
      if (typeof element !== 'object') values.push(element as Scalar);
  });
  return values;
}

function matches(
  record: JsonObject,
  name: string,
  wanted: string[],
  records: readonly JsonObject[],
): boolean {
  const [, key = '', operator] = /^(.*?)(?:\[(\w+)\])?$/.exec(name) ?? [];
  const values = valuesOf(record, key);
  const type = typeof records.flatMap((other) => valuesOf(other, key))[0];
  const read = (text: string) =>
    type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text;
  switch (operator) {
    case undefined:
      return wanted.some((text) => values.includes(read(text)));
    case 'ne':
      return !wanted.some((text) => values.includes(read(text)));
    case 'exists':
      return values.length > 0 === (wanted[0] === 'true');
    default: {
      const test = {
        gte: (a: number, b: number) => a >= b,
        gt: (a: number, b: number) => a > b,
        lte: (a: number, b: number) => a <= b,
        lt: (a: number, b: number) => a < b,
      }[operator];
      return values.some((value) => wanted.every((text) => test?.(value as number, Number(text))));
    }
  }
}

function hasName(record: JsonObject, q: string): boolean {
  const words = foldText(q).split(/\s+/u).filter(Boolean);
  return Object.entries(record)
    .filter(([key, value]) => (key === 'name' || key.startsWith('name_')) && typeof value === 'string')
    .some(([, value]) => {
      const name = foldText(value as string);
      return words.every((word) => standsIn(name, word));
    });
}

function standsIn(name: string, word: string): boolean {
  for (let at = 0; at + word.length <= name.length; at++) {
    const fits = [...word].every(
      (letter, index) =>
        letter === name[at + index] ||
        (/[\u1100-\u1112]/.test(letter) && letter === toInitials(name)[at + index]),
    );
    if (fits) return true;
  }
  return false;
}

function compare(a: JsonObject, b: JsonObject, keys: string[]): number {
  for (const name of keys) {
    const key = name.replace(/^-/, '');
    const [x, y] = [valuesOf(a, key)[0], valuesOf(b, key)[0]];
    if (x === y) continue;
    if (x === undefined) return 1;
    if (y === undefined) return -1;
    const order = typeof x === 'string' ? compareNatural(x, y as string) : Number(x) - Number(y);
    if (order !== 0) return name.startsWith('-') ? -order : order;
  }
  return compareNatural(a.id as string, b.id as string);
}
