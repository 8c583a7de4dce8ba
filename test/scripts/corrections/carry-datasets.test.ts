import { gunzipSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/compile/game.ts';
import { patchBuilds } from '../../../scripts/diff/diff-builds.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, withFolder } from '../../support/fixtures.ts';
import { contentsOfPlan } from '../diff/contents.ts';

const test = suite('carried datasets');

const items = (factor: number, count = 8) =>
  Array.from({ length: count }, (_, at) => ({
    id: `item-${at}`,
    name: `Item ${at}`,
    cost: (7 + at * at) * factor,
  }));

/** A game of three builds whose items are ten times too dear from the second on. */
function game(carried: readonly (Json | undefined)[], more: Files = {}): Files {
  const builds = [1, 10, 10].map(
    (factor, at): Files => ({
      [`1.${at}/build.json`]: {
        released_at: `2026-01-0${at + 1}`,
        ...(carried[at] !== undefined && { carried: carried[at] }),
      },
      [`1.${at}/items.json`]: items(factor),
    }),
  );
  return gameFiles({
    '1.0/characters.json': [{ id: 'ann', name: 'Ann' }],
    ...Object.assign({}, ...builds),
    ...more,
  });
}

const WHY = { items: 'values-changed' };
const WHERE = { items: '1.0' };

test('are those of the build before, and the build says from which one they are', async () => {
  const { builds, findings, plan } = await compileCarried(game([undefined, WHY, WHY]));
  assert.equal(findings, []);
  for (const build of builds) assert.equal(build.datasets.items, items(1));
  assert.equal(
    plan?.entries.map(({ carried_from }) => carried_from),
    [undefined, WHERE, WHERE],
  );
  const [, second] = plan?.entries ?? [];
  const [one, two] = plan ? await contentsOfPlan(plan) : [];
  assert.equal(one && two && patchBuilds(one, two).at(-1), {
    op: 'add',
    path: '/carried_from',
    value: WHERE,
  });
  const snapshot = gunzipSync(plan?.files.get(second?.snapshot.gzip.file ?? '') ?? '').toString();
  assert.equal(JSON.parse(snapshot).carried_from, WHERE);
});

test('may be records: they keep their corrections, and what their roster entries have', async () => {
  const cast = (ann: JsonObject) => [
    { id: 'ann', name: 'Ann', ...ann },
    { id: 'bob', name: 'Bob', atk: 5, rarity: 4 },
  ];
  const correction = { id: 'ann', attribute: 'atk', value: 100, reason: 'a typo', since: '1.0' };
  const { builds, findings } = await compileFiles(
    gameFiles({
      '1.0/characters.json': cast({ atk: 999, rarity: 5 }),
      '1.1/build.json': { released_at: '2026-01-02', carried: { 'characters/ann': 'a loss' } },
      '1.1/characters.json': cast({ atk: 7 }),
      '1.2/build.json': { released_at: '2026-01-03' },
      '1.2/characters.json': cast({ atk: 999, rarity: 5 }),
      'corrections.json': { corrections: [correction] },
    }),
  );
  assert.equal(findings, []);
  const right = cast({ atk: 100, rarity: 5 })[0];
  for (const { roster, characters } of builds) assert.equal([roster[0], characters[0]], [right, right]);
});

test('are compared again when they are taken up', async () => {
  const { findings } = await compileFiles(game([undefined, WHY]));
  assert.equal(
    findings.map(({ check, build, carry }) => [check, build, carry]),
    [['values-changed', '1.2', ['items']]],
  );
});

test('have to be in the build before', async () => {
  const { findings } = await compileFiles(game([undefined, { item: 'x', 'characters/bob': 'x' }]));
  const [finding, ofRecord] = findings;
  assert.equal([finding?.check, finding?.place.pointer], ['build-definition', '/carried/item']);
  assert.is(ofRecord?.place.pointer, '/carried/characters~1bob');
  assert.match(finding?.fix ?? '', 'items');
});

test('have all records that others name; what the roster names is only carried if something is lost', async () => {
  const names = [0, 1, 2, 3, 4].map((at) => ({ id: `c${at}`, name: `C ${at}`, item: `item-${at}` }));
  const named = async (...later: Json[]) => {
    const items = Object.fromEntries(later.map((each, at) => [`1.${at + 1}/items.json`, each]));
    const { findings } = await compileFiles(game([], { '1.0/characters.json': names, ...items }));
    return findings.map(({ check, carry }) => [check, carry]);
  };
  assert.equal(await named(), [['values-changed', undefined]]);
  const free = items(1).map(({ cost: _, ...item }) => item);
  assert.equal(await named(free, free), [['values-lost', ['items']]]);

  const offers = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `offer-${at}`, item: `item-${at}` }));
  const files = game([undefined, WHY, WHY], {
    '1.0/offers.json': offers(8),
    '1.1/offers.json': offers(9),
    '1.1/items.json': items(10, 9),
  });
  const { findings } = await compileFiles(files);
  assert.match(
    findings[0]?.found ?? '',
    /"item" of offers with ids that the carried dataset "items" lacks: item-8/,
  );
});

test('may have lost every row, or the column that selects them; or their files are broken', async () => {
  const rows = (column: string) => JSON.stringify(items(1)).replaceAll('cost', column);
  const { findings } = await compileFiles(
    gameFiles({
      'game.json': {
        title: 'Game',
        tables: { goods: 'goods.json', rates: 'raw/rates.json.gz' },
        datasets: {
          goods: { from: 'goods', where: 'cost > 0', entry: "{ 'id': id, 'name': name }" },
          rates: "rates.{ 'id': id, 'name': name }",
        },
      },
      '1.0/raw/rates.json.gz': gzipSync(rows('cost')),
      '1.1/raw/rates.json.gz': '{',
      '1.0/tips.json.gz': gzipSync(rows('cost')),
      '1.1/tips.json.gz': '{',
      '1.0/goods.json': rows('cost'),
      '1.1/build.json': { released_at: '2026-01-02', carried: { goods: 'x', rates: 'x', tips: 'x' } },
      '1.1/goods.json': rows('price'),
    }),
  );
  assert.equal(findings, []);
});

test('numbers that look like ids, and texts that were no ids before, do not keep a dataset from being carried', async () => {
  const holders = (rank: number) =>
    Array.from({ length: 9 }, (_, at) => ({
      id: `c${at}`,
      name: `C ${at}`,
      item: `item-${at < 8 ? at : rank}`,
    }));
  const files = game([undefined, WHY, WHY], {
    '1.0/characters.json': holders(99),
    '1.0/offers.json': holders(98),
  });
  assert.equal((await compileFiles(files)).findings, []);
  const { findings } = await compileFiles({ ...files, '1.1/offers.json': holders(97) });
  assert.match(findings[0]?.found ?? '', /"item" of offers with ids .* lacks: item-97/);
});

async function compileCarried(files: Files) {
  const compiled = await compileFiles(files);
  const plan = await withFolder(files, async (folder) => (await compileGame(folder, 'game')).value);
  return { ...compiled, plan };
}

test.run();
