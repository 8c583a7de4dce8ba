import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpProblem } from '../../../gateway/http/problem.ts';
import { Collection } from '../../../gateway/query/collection.ts';
import { findMeant } from '../../../gateway/query/did-you-mean.ts';
import { parseListQuery, selectRows } from '../../../gateway/query/list-query.ts';
import { encodeList } from '../../../scripts/format/dist-format.ts';
import { fc } from '../../support/random.ts';

const inLists = suite('filters inside lists of objects');

interface Material {
  name: string;
  count: number;
}

function unit(id: string, ...phases: Material[][]) {
  return { id, ascension: phases.map((materials, at) => ({ phase: at + 1, materials })) };
}

const mora = (count: number): Material => ({ name: 'Mora', count });
const apple = (count: number): Material => ({ name: 'Apple', count });

const list = makeList([
  unit('1', [mora(10)], [mora(20), apple(1)]),
  unit('2', [mora(10), apple(30)]),
  unit('3', [apple(5)]),
  unit('4', []),
  { id: '5', note: 'x' },
]);

function makeList(records: object[]): Collection {
  return new Collection(Buffer.from(encodeList(records as never[])));
}

function select(among: Collection, ...query: [string, string][]): string[] {
  const { rows } = selectRows(among, parseListQuery(query, among, 100));
  return rows.map((row) => (JSON.parse(String(among.records[row])) as { id: string }).id);
}

function refusal(...query: [string, string][]): string {
  try {
    select(list, ...query);
  } catch (error) {
    if (error instanceof HttpProblem) return `${error.members.parameter}: ${error.message}`;
    throw error;
  }
  return 'none';
}

for (const [query, ...expected] of [
  ['ascension.materials.name=Mora', '1', '2'],
  ['ascension.materials.name=Apple&ascension.materials.name=Mora', '1', '2', '3'],
  ['ascension.materials.name[ne]=Mora', '3', '4', '5'],
  ['ascension.materials.name[exists]=false', '4', '5'],
  ['ascension.materials.count[gte]=20', '1', '2'],
  ['ascension.phase[exists]=false', '5'],
  // Different elements may hold each.
  ['ascension.materials.name=Mora&ascension.materials.count[gte]=20', '1', '2'],
  // One element has to hold all.
  ['ascension.materials[m].name=Mora&ascension.materials[m].count[gte]=20', '1'],
  ['ascension.materials[m].name=Mora&ascension.materials[n].count[gte]=20', '1', '2'],
  ['ascension[a].phase=1&ascension[a].materials.name=Apple', '2', '3'],
  ['ascension[a].materials.name=Mora&ascension[a].materials.name[ne]=Apple', '1'],
  ['ascension[a].phase[exists]=true&note[exists]=false', '1', '2', '3', '4'],
] as [string, ...string[]][]) {
  inLists(`${query} selects ${expected.join(', ')}`, () => {
    assert.equal(select(list, ...new URLSearchParams(query)), expected);
  });
}

inLists('an unknown attribute in a list is an error with the nearest one', () => {
  assert.match(refusal(['ascension.materials.nmae', 'Mora']), /did you mean "ascension.materials.name"\?/);
  assert.match(refusal(['ascension.materials[m].nmae', 'Mora']), /^ascension.materials\[m\].nmae: /);
  assert.match(
    refusal(['ascension.other[m].name', 'Mora']),
    /neither a parameter nor a facet.*\/attributes.* describe the facets/,
  );
  assert.match(refusal(['ascension[gte].phase', '1']), /^none$/);
  assert.match(refusal(['ascension[A].phase', '1']), /neither a parameter nor a facet/);
  assert.match(refusal(['ascension.materials.count', 'many']), /expected a number/);
});

inLists('a value in another case has a hint, by the name in the request', () => {
  const query = parseListQuery([['ascension.materials[m].name', 'mora']], list, 100);
  assert.equal(findMeant(query), { parameter: 'ascension.materials[m].name', value: 'Mora' });
});

inLists('attributes of several types are no facets', () => {
  const mixed = makeList([{ id: '1', parts: [{ size: 1, tag: 'a' }, { size: 'large' }] }]);
  assert.equal(select(mixed, ['parts.tag', 'a']), ['1']);
  assert.throws(() => select(mixed, ['parts.size', '1']), /neither a parameter nor a facet/);
});

const materials = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    count: fc.integer({ min: 1, max: 12 }),
    tags: fc.uniqueArray(fc.constantFrom('p', 'q'), { maxLength: 2 }),
  }),
  { maxLength: 3 },
);

inLists('selects what looking at every element selects', () => {
  fc.assert(
    fc.property(
      fc.array(materials, { maxLength: 50 }),
      fc.constantFrom('a', 'b'),
      fc.integer({ min: 1, max: 12 }),
      (units, name, count) => {
        const first: (typeof units)[number] = [{ name, count, tags: ['p'] }];
        const all = [first, ...units];
        const some = makeList(all.map((each, at) => ({ id: String(at), materials: each })));
        const has = (test: (material: (typeof units)[number][number]) => boolean) =>
          all.flatMap((each, at) => (each.some(test) ? [String(at)] : []));
        const named = has((each) => each.name === name);
        const cases: [query: string, expected: string[]][] = [
          [`materials.name=${name}`, named],
          [`materials.count[gte]=${count}`, has((each) => each.count >= count)],
          [`materials.name[ne]=${name}`, [...all.keys()].map(String).filter((id) => !named.includes(id))],
          [
            `materials[x].name=${name}&materials[x].count[ne]=${count}&materials[x].tags=p`,
            has((each) => each.name === name && each.count !== count && each.tags.includes('p')),
          ],
          [
            `materials[x].name=${name}&materials[x].tags[exists]=false`,
            has((each) => each.name === name && each.tags.length === 0),
          ],
        ];
        for (const [query, expected] of cases)
          assert.equal(select(some, ...new URLSearchParams(query)), expected, query);
      },
    ),
  );
});

inLists.run();
