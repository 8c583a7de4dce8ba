import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFindings } from '../../../scripts/check/report.ts';
import { compileFiles, type Files, gameFiles } from '../../support/fixtures.ts';
import { table, testFindings, testRows } from '../check/cases.ts';

const test = suite('compiling without a mapping');

const RECORDS = [
  { id: 'u-10', name: 'Ten', rarity: 5, stats: { hp: 10.5 }, tags: ['a', 'b'] },
  { id: 'u-2', name: 'Two', rarity: 4, skills: [{ id: 's', power: [1, 2] }] },
];
const SORTED = [RECORDS[1], RECORDS[0]];
const KEYED = { 'u-10': { ...RECORDS[0], id: undefined }, 'u-2': { ...RECORDS[1], id: undefined } };
// The attributes that a CSV file can hold.
const FLAT = 'id,name,rarity,stats.hp\nu-10,Ten,5,10.5\nu-2,Two,4,\n';
const SORTED_FLAT = [
  { id: 'u-2', name: 'Two', rarity: 4 },
  { id: 'u-10', name: 'Ten', rarity: 5, stats: { hp: 10.5 } },
];

const forms: [form: string, files: Files, expected: unknown][] = [
  ['a list', { '1.0/characters.json': RECORDS }, SORTED],
  ['an object keyed by id', { '1.0/characters.json': JSON.stringify(KEYED) }, SORTED],
  ['a wrapped list', { '1.0/characters.json': { data: RECORDS } as never }, SORTED],
  ['CSV', { '1.0/characters.json': undefined, '1.0/characters.csv': FLAT }, SORTED_FLAT],
];
for (const [form, files, expected] of forms) {
  test(`characters as ${form} are the full records in natural order of their ids`, async () => {
    const { builds, findings } = await compileFiles(gameFiles(files));
    assert.equal(findings, []);
    assert.equal(builds[0]?.characters, expected);
  });
}

test('the roster entry is the record without the attributes that contain lists of objects', async () => {
  const { builds } = await compileFiles(
    gameFiles({
      '1.0/characters.json': [
        {
          id: 'a',
          name: 'A',
          stats: { hp: 1 },
          tags: ['x'],
          empty: [],
          grid: [[1], [2]],
          skills: [{ id: 's' }],
          levels: { per: { phase: [{ cost: 1 }] } },
          nested: [[{ x: 1 }]],
        },
      ],
    }),
  );
  assert.equal(builds[0]?.roster, [
    { id: 'a', name: 'A', empty: [], grid: [[1], [2]], stats: { hp: 1 }, tags: ['x'] },
  ]);
});

test('every JSON and CSV file beside build.json is a dataset named like it', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      '1.0/items.csv': 'id,cost\ni10,5\ni9,\n',
      '1.0/level_costs.json': [{ level: 2 }, { level: 1 }],
      '1.0/rules.json': { a: [1], b: { c: true } },
      '1.0/wrapped.json': { rows: [{ id: 'w' }] },
      '1.0/none.json': [],
    }),
  );
  assert.equal(findings, []);
  assert.equal(builds[0]?.datasets, {
    items: [{ id: 'i9' }, { id: 'i10', cost: 5 }],
    level_costs: [{ level: 2 }, { level: 1 }],
    none: [],
    pull_planner: { currency: { name: 'Gem', per_pull: 160 } },
    rules: { a: [1], b: { c: true } },
    wrapped: [{ id: 'w' }],
  });
});

/** What d.json has. */
testRows(
  test,
  table`
    1                     | shape 1.0/d.json:1
    "text"                | shape 1.0/d.json:1
    null                  | shape 1.0/d.json:1
    [{"a": 1},¶2,¶[]]     | shape 1.0/d.json:2 /1; shape 1.0/d.json:3 /2
    {"rows": [1]}         | shape 1.0/d.json:1 /rows/0
    {"a": 1,¶"b": 1e999}  | shape 1.0/d.json:2 /b
  `,
  (content) => ({ '1.0/d.json': content }),
);
/** What characters.json has. */
testRows(
  test,
  table`
    7                     | shape 1.0/characters.json:1
    {"a": 1,¶"b": []}     | shape 1.0/characters.json:1 /a; shape 1.0/characters.json:2 /b
    {¶"a": {"name": "A"},¶"b": {¶"id": "c", "name": "B"}} | ids 1.0/characters.json:4 /b/id | "b"
  `,
  (content) => ({ '1.0/characters.json': content }),
);
testFindings(test, 'a number in YAML that JSON cannot hold', { '1.0/d.yaml': '- id: i1\n  rate: .nan\n' }, [
  'shape 1.0/d.yaml:2 /0/rate',
]);

test('very deep nesting and 150,000 bad cells are ordinary findings', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const { findings } = await compileFiles(
    gameFiles({ '1.0/deep.json': deep, '1.0/wide.csv': `n:number\n${'x\n'.repeat(150_000)}` }),
  );
  const [ofDeep, ofWide] = ['1.0/deep.json', '1.0/wide.csv'].map((file) =>
    findings.filter(({ place }) => place.file === file),
  );
  assert.ok(ofDeep?.some(({ found }) => found === 'more than 64 levels of nesting'));
  assert.is(countFindings(ofWide ?? []).errors, 150_000);
});

test('__proto__ and constructor are ordinary ids and attributes', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      '1.0/characters.json':
        '{"__proto__": {"name": "P", "constructor": "c"}, "constructor": {"name": "C", "__proto__": {"x": 1}}}',
      '1.0/constructor.json': '{"__proto__": {"polluted": true}, "toString": 1}',
    }),
  );
  assert.equal(findings, []);
  assert.is(
    JSON.stringify(builds[0]?.characters),
    '[{"id":"__proto__","name":"P","constructor":"c"},{"id":"constructor","name":"C","__proto__":{"x":1}}]',
  );
  assert.is(JSON.stringify(builds[0]?.datasets.constructor), '{"__proto__":{"polluted":true},"toString":1}');
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});

test.run();
