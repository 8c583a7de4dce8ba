import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RawQuery } from '../../../gateway/http/incoming.ts';
import { Collection } from '../../../gateway/query/collection.ts';
import { parseListQuery, selectRows } from '../../../gateway/query/list-query.ts';
import { compareNatural, encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';
import { askNaively } from './oracle.ts';

const query = suite('selectRows');

const NAMES =
  "Hu Tao|Élan|hutao|Ōka|ガンマ|カンナ|아르 하|아리|Straße|Ωmega|W|12 F|Hu\nTao|Ch'en|Tao-Hu 11|\0w".split(
    '|',
  );
const WORDS =
  "hu|TAO|e|ga|が|か|ㅇㄹ|아ㄹ|ㅎ|ss|ω|w|1|zz|hu tao|n a|\0w|hutoa|tao hu|sraße|h'u|tao zz|Hu-Tao|elna".split(
    '|',
  );

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const character = fc.record({
  name: fc.constantFrom(...NAMES),
  name_ko: maybe(fc.constantFrom(...NAMES)),
  rarity: maybe(fc.integer({ min: 1, max: 6 })),
  element: maybe(fc.constantFrom('Pyro', 'Hydro', 'pyro', '', 'Unit 2', 'Unit 10', '__proto__')),
  limited: maybe(fc.boolean()),
  tags: maybe(fc.array(fc.constantFrom('dps', 'heal', 'tank', null), { maxLength: 3 })),
  levels: maybe(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 })),
  stats: maybe(
    fc.record({
      atk: maybe(fc.constantFrom(-1.5, 0, 10, 10.25, 1e21)),
      hp: maybe(fc.integer({ min: 0, max: 3 })),
    }),
  ),
});
const roster = fc
  .uniqueArray(fc.tuple(fc.constantFrom('unit-', 'u', 'x0'), fc.nat(120)), {
    selector: ([a, b]) => a + b,
    minLength: 1,
    maxLength: 70,
  })
  .chain((ids) =>
    fc.tuple(fc.constant(ids), fc.array(character, { minLength: ids.length, maxLength: ids.length })),
  )
  .map(([ids, characters]) =>
    ids
      .map(
        ([prefix, number], index) =>
          JSON.parse(JSON.stringify({ id: `${prefix}${number}`, ...characters[index] })) as JsonObject,
      )
      .sort((a, b) => compareNatural(a.id as string, b.id as string)),
  );

const numberText = fc.constantFrom('-1.5', '0', '1', '3', '5', '10', '10.25', '1e21', '4.0', '7');
const facet: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(fc.constantFrom('rarity', 'stats.atk', 'stats.hp', 'levels'), numberText),
  fc.tuple(
    fc
      .tuple(
        fc.constantFrom('rarity', 'stats.atk', 'stats.hp', 'levels'),
        fc.constantFrom('gte', 'gt', 'lte', 'lt', 'ne'),
      )
      .map(([key, operator]) => `${key}[${operator}]`),
    numberText,
  ),
  fc.tuple(
    fc.constantFrom('element', 'element[ne]', 'name'),
    fc.constantFrom('Pyro', 'pyro', '', 'Unit 10', '__proto__', 'W'),
  ),
  fc.tuple(fc.constantFrom('limited', 'limited[ne]'), fc.constantFrom('true', 'false')),
  fc.tuple(fc.constantFrom('tags', 'tags[ne]'), fc.constantFrom('dps', 'heal', 'none')),
);
const exists: fc.Arbitrary<[string, string]> = fc.tuple(
  fc.constantFrom('rarity[exists]', 'tags[exists]', 'stats.atk[exists]', 'name_ko[exists]'),
  fc.constantFrom('true', 'false'),
);
const sort = fc
  .uniqueArray(fc.constantFrom('rarity', 'element', 'stats.atk', 'name', 'id', 'limited', 'stats.hp'), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((keys) =>
    fc
      .array(fc.boolean(), { minLength: keys.length, maxLength: keys.length })
      .map((signs) => keys.map((key, at) => (signs[at] ? '-' : '') + key).join(',')),
  );
const parameters: fc.Arbitrary<RawQuery> = fc
  .tuple(
    fc.array(facet, { maxLength: 4 }),
    maybe(exists),
    maybe(fc.constantFrom(...WORDS)),
    maybe(sort),
    maybe(fc.nat(30)),
    maybe(fc.nat(60)),
    maybe(
      fc.array(
        fc.tuple(fc.constantFrom('unit-', 'u', 'x0'), fc.nat(120)).map(([a, b]) => `${a}${b}`),
        { minLength: 1, maxLength: 40 },
      ),
    ),
  )
  .map(([facets, presence, q, by, limit, offset, ids]): [string, string][] => [
    ...facets,
    ...(presence ? [presence] : []),
    ...(q === undefined ? [] : [['q', q] as [string, string]]),
    ...(by === undefined ? [] : [['sort', by] as [string, string]]),
    ...(limit === undefined ? [] : [['limit', String(limit)] as [string, string]]),
    ...(offset === undefined ? [] : [['offset', String(offset)] as [string, string]]),
    ...(ids === undefined ? [] : [['ids', ids.join(',')] as [string, string]]),
  ]);

query('returns the same as a simple filter and sort, for thousands of random queries', () => {
  let asked = 0;
  fc.assert(
    fc.property(roster, fc.array(parameters, { minLength: 10, maxLength: 10 }), (records, queries) => {
      const list = new Collection(Buffer.from(encodeList(records)));
      for (const raw of queries) {
        // A facet that no record has does not exist: a filter on it is an error, which another test checks.
        const known = raw.filter(
          ([name]) =>
            ['q', 'limit', 'offset', 'ids'].includes(name) ||
            knowsAll(list, name === 'sort' ? raw.find(([n]) => n === 'sort')?.[1] : name),
        );
        const selection = selectRows(list, parseListQuery(known, list, 100));
        const ids = selection.rows.map((row) => records[row]?.id);
        assert.equal({ total: selection.total, ids }, askNaively(records, known, 100), JSON.stringify(known));
        asked++;
      }
    }),
    { numRuns: 500 },
  );
  assert.is(asked, 5000);
});

function knowsAll(list: Collection, names: string | undefined): boolean {
  return (names ?? '')
    .split(',')
    .every((name) => list.columns.has(name.replace(/^-/, '').replace(/\[\w+\]$/, '')));
}

query.run();
