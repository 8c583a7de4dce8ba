import type { RawQuery } from '../../../gateway/http/incoming.ts';
import { foldText, toInitials } from '../../../gateway/query/fold.ts';
import { compareNatural, eachAttribute, type JsonObject } from '../../../scripts/format/dist-format.ts';

const COLLATOR = new Intl.Collator('und', { numeric: true });

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
  if (q !== undefined) found = searchNaively(found, q);
  if (ids) found = [...new Set(ids)].flatMap((id) => found.filter((record) => record.id === id));
  const sort = one('sort') ?? (ids || q !== undefined ? undefined : 'id');
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

/** Ranks records by their names: whole, beginning, word, part; if there are none, by the number of typos. Equal ones keep their order. */
function searchNaively(records: readonly JsonObject[], q: string): JsonObject[] {
  const parts = foldText(q).trim().split(/\s+/u).map(withoutMarks);
  const search = { words: [...new Set(parts)], whole: parts.join('') };
  const rankBy = (rank: (name: string, search: Search) => number[] | undefined) =>
    records
      .flatMap((record) => {
        const ranks = namesOf(record).flatMap((name) => {
          const found = rank(name, search);
          return found ? [found] : [];
        });
        const [best] = ranks.sort(compareRanks);
        return best ? [{ record, best }] : [];
      })
      .sort((a, b) => compareRanks(a.best, b.best));
  const whole = rankBy((name, { words, whole }) => rankExactly(name, { words, whole }, true));
  const found = whole.length > 0 ? whole : rankBy((name, each) => rankExactly(name, each));
  const isShort =
    search.whole.length <= 3 && !/[\u1100-\u1112]/.test(search.whole) && found[0]?.best[0] === 0;
  const kept = isShort ? found.filter(({ best }) => best[0] === 0) : found;
  return (kept.length > 0 ? kept : rankBy(rankWithTypos)).map(({ record }) => record);
}

interface Search {
  words: string[];
  whole: string;
}

function compareRanks(a: number[], b: number[]): number {
  return (
    (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number) || (a[2] ?? 0) - (b[2] ?? 0)
  );
}

function namesOf(record: JsonObject): string[] {
  return Object.entries(record)
    .filter(([key, value]) => (key === 'name' || key.startsWith('name_')) && typeof value === 'string')
    .map(([, value]) => foldText(value as string));
}

function withoutMarks(text: string): string {
  const kept = [...text].filter((letter) => !/[\p{Z}\p{P}\p{S}\s]/u.test(letter)).join('');
  return kept === '' ? text : kept;
}

/** @param isWhole whether words only inside other words do not count unless they stand together */
function rankExactly(name: string, { words, whole }: Search, isWhole = false): number[] | undefined {
  const compact = withoutMarks(name);
  if (!words.every((word) => standsIn(compact, word))) return undefined;
  const beyond = Math.max(0, compact.length - whole.length);
  if (standsIn(compact.slice(0, whole.length), whole)) return [beyond === 0 ? 0 : 1, beyond];
  // Each word, with all words after it, as one.
  const rests = name.split(/[\s\p{P}]+/u).map((_, at, all) => withoutMarks(all.slice(at).join('')));
  const isWord = (word: string) => rests.some((rest) => standsIn(rest.slice(0, word.length), word));
  if (isWhole && !words.every(isWord) && !standsIn(compact, whole)) return undefined;
  return [words.every(isWord) ? 2 : 3, beyond];
}

function rankWithTypos(name: string, { words, whole }: Search): number[] | undefined {
  const compact = withoutMarks(name);
  const terms = [compact, ...name.split(/[\s\p{P}]+/u).map(withoutMarks)];
  let edits = 0;
  for (const word of words) {
    if (standsIn(compact, word)) continue;
    const most = word.length < 3 || /[\u1100-\u1112]/.test(word) ? 0 : word.length < 6 ? 1 : 2;
    const least = Math.min(...terms.map((term) => distanceOf(word, term)));
    if (least > most) return undefined;
    edits += least;
  }
  return [4, edits, Math.max(0, compact.length - whole.length)];
}

/** The edits between two texts; two swapped neighbours are one. */
function distanceOf(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, i) =>
    Array.from({ length: other.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => table[i]?.[j] as number;
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced;
      (table[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  return at(one.length, other.length);
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
    const order =
      typeof x !== 'string'
        ? Number(x) - Number(y)
        : (key === 'id' ? 0 : COLLATOR.compare(x, y as string)) || compareNatural(x, y as string);
    if (order !== 0) return name.startsWith('-') ? -order : order;
  }
  return compareNatural(a.id as string, b.id as string);
}
