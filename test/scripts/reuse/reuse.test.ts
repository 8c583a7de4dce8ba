import { appendFile, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { locateFindings } from '../../../scripts/check/report.ts';
import { compileGame } from '../../../scripts/compile/game.ts';
import { type GamePlan, planIndex } from '../../../scripts/dist/plan.ts';
import { writeDist } from '../../../scripts/dist/write-dist.ts';
import type { Finding } from '../../../scripts/findings.ts';
import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import { type Files, gameFiles, withFolder, writeFiles } from '../../support/fixtures.ts';

const test = suite('reuse of builds');

const BOTH = [
  { id: 'ann', name: 'Ann' },
  { id: 'bob', name: 'Bob' },
];

/** A game of four builds with a mapped table. Its builds depend on every kind of input. */
const FILES = gameFiles({
  'game.json': {
    title: 'Game',
    tables: { items: 'raw/items.json' },
    datasets: { items: { from: 'items', entry: { file: 'items.jsonata' } } },
  },
  'items.jsonata': "{ 'id': $key, 'cost': cost }",
  '1.0/raw/items.json': { a: { cost: 1 } },
  '1.0/READ-ME.json': {},
  '1.1/build.json': { released_at: '2026-02-01' },
  '1.1/characters.json': BOTH,
  '1.2/build.json': { released_at: '2026-03-01' },
  '1.2/raw/items.json': { a: { cost: 2 } },
  '1.3/build.json': { released_at: '2026-04-01' },
  '1.3/characters.json': [...BOTH, { id: 'cat', name: 'Cat' }],
});

interface Built {
  plan: GamePlan;
  findings: Finding[];
  /** How many files had to be made, without the manifest. */
  made: number;
}

/** Compiles with the cache, writes, and checks that compiling without the cache gives the same. */
async function build(folder: string): Promise<Built> {
  const reuse = { out: path.join(folder, 'dist'), cache: path.join(folder, 'cache') };
  const { value: plan, findings } = await compileGame(path.join(folder, 'game'), 'game', { reuse });
  const { value: fresh } = await compileGame(path.join(folder, 'game'), 'game');
  assert.ok(plan && fresh);
  assert.equal(plan.manifest, fresh.manifest);
  assert.is(plan.bytes, fresh.bytes);
  await writeDist(reuse.out, [plan], planIndex([plan], []), undefined);
  for (const file of fresh.files.keys()) {
    assert.equal(
      await readFile(path.join(reuse.out, file)),
      Buffer.from(fresh.files.get(file) as Uint8Array),
    );
  }
  return { plan, findings, made: plan.files.size - 1 };
}

async function withBuilt(
  use: (folder: string, first: Built) => Promise<void>,
  changes: Files = {},
): Promise<void> {
  const files = Object.fromEntries(
    Object.entries({ ...FILES, ...changes }).map(([file, content]) => [`game/${file}`, content]),
  );
  await withFolder(files, async (folder) => use(folder, await build(folder)));
}

test('an unchanged build is not compiled, but its warnings are reported', async () => {
  await withBuilt(async (folder, first) => {
    const again = await build(folder);
    assert.is(again.made, 0);
    const warnings = async ({ findings }: Built) =>
      (await locateFindings(findings)).map(({ check, place }) => [check, place.file, place.line]);
    assert.equal(await warnings(first), [['dataset-file', path.join(folder, 'game/1.0/READ-ME.json'), 1]]);
    assert.equal(await warnings(again), await warnings(first));
  });
});

test('findings about the files of an unchanged build are reported', async () => {
  await withBuilt(async (folder) => {
    await symlink('items.json', path.join(folder, 'game/1.0/raw/more.json'));
    const reuse = { out: path.join(folder, 'dist'), cache: path.join(folder, 'cache') };
    const { value, findings } = await compileGame(path.join(folder, 'game'), 'game', { reuse });
    assert.is(value, undefined);
    assert.ok(findings.some(({ found }) => found === 'a link, which is not followed'));
  });
});

/** Each input, with the builds that depend on it. */
const INPUTS: [file: string, content: Files[string], builds: string[]][] = [
  ['1.3/characters.json', [...BOTH, { id: 'cat', name: 'Kat' }], ['1.3']],
  ['1.3/build.json', { released_at: '2026-04-01', note: 'new' }, ['1.3']],
  ['1.2/raw/items.json', { a: { cost: 3 } }, ['1.2', '1.3']],
  ['1.0/build.json', { released_at: '2026-01-01', note: 'first' }, ['1.0']],
  ['1.0/pull_planner.json', { currency: 'gold' }, ['1.0', '1.1', '1.2', '1.3']],
  ['items.jsonata', "{ 'id': $key, 'price': cost }", ['1.0', '1.1', '1.2', '1.3']],
  ['1.4/build.json', { released_at: '2026-05-01' }, ['1.4']],
  // A build must not equal any earlier one, so that those after a new one are compared with it.
  ['1.15/build.json', { released_at: '2026-02-15' }, ['1.15', '1.2', '1.3']],
];

for (const [file, content, builds] of INPUTS) {
  test(`after a change of ${file} only the builds that depend on it are compiled: ${builds.join(', ')}`, async () => {
    await withBuilt(async (folder, first) => {
      await writeFiles(path.join(folder, 'game'), { [file]: content });
      const { plan } = await build(folder);
      // A build that is no longer the newest has its lists elsewhere.
      const textOf = (entry: BuildEntry) => JSON.stringify({ ...entry, in_snapshot: undefined });
      const before = new Set(first.plan.entries.map(textOf));
      const compiled = plan.entries.filter(({ snapshot }) => plan.files.has(snapshot.gzip.file));
      assert.equal(
        compiled.map(({ build }) => build),
        builds,
      );
      for (const entry of plan.entries) {
        if (!before.has(textOf(entry))) assert.ok(compiled.includes(entry), entry.build);
      }
    });
  });
}

test('a file with different content and the same size and time is noticed', async () => {
  await withBuilt(async (folder) => {
    const file = path.join(folder, 'game/1.2/raw/items.json');
    const hour = new Date(Date.now() - 3_600_000);
    await utimes(file, hour, hour);
    await build(folder);
    await build(folder);
    await writeFile(file, (await readFile(file, 'utf8')).replace('2', '7'));
    await utimes(file, hour, hour);
    assert.ok((await build(folder)).made > 0);
  });
});

test('a file that dist/ lacks, or that is incomplete, is made again', async () => {
  await withBuilt(async (folder, { plan }) => {
    const dist = path.join(folder, 'dist');
    const entry = plan.entries[1];
    assert.ok(entry);
    await rm(path.join(dist, entry.timeline.file));
    assert.ok((await build(folder)).made > 0);
    await appendFile(path.join(dist, entry.snapshot.gzip.file), 'x');
    assert.ok((await build(folder)).made > 0);
    assert.is((await build(folder)).made, 0);
  });
});

test('a damaged build in dist/ is not used as the build before', async () => {
  await withBuilt(async (folder, { plan }) => {
    const last = plan.entries.at(-1);
    assert.ok(last);
    const file = path.join(folder, 'dist', last.characters.file);
    const bytes = await readFile(file);
    await writeFile(file, bytes.toString().replace('Bob', 'Rob'));
    await writeFiles(path.join(folder, 'game'), { '1.4/build.json': { released_at: '2026-05-01' } });
    const reuse = { out: path.join(folder, 'dist'), cache: path.join(folder, 'cache') };
    const { value } = await compileGame(path.join(folder, 'game'), 'game', { reuse });
    const { value: fresh } = await compileGame(path.join(folder, 'game'), 'game');
    assert.equal(value?.manifest, fresh?.manifest);
  });
});

for (const content of ['', '{', '{"code": 1}', '[]', 'null']) {
  test(`a cache that holds ${JSON.stringify(content)} only costs time`, async () => {
    await withBuilt(async (folder) => {
      const cache = path.join(folder, 'cache');
      for (const file of await readdir(cache)) await writeFile(path.join(cache, file), content);
      assert.ok((await build(folder)).made > 0);
      assert.is((await build(folder)).made, 0);
    });
  });
}

test('a build with an error is not remembered', async () => {
  await withBuilt(async (folder) => {
    const reuse = { out: path.join(folder, 'dist'), cache: path.join(folder, 'cache') };
    await writeFiles(path.join(folder, 'game'), { '1.3/characters.json': [{ id: 'a b', name: 'A' }] });
    for (const _ of [1, 2]) {
      const { findings } = await compileGame(path.join(folder, 'game'), 'game', { reuse });
      assert.equal(
        findings.filter(({ severity }) => severity === 'error').map(({ check }) => check),
        ['character-schema'],
      );
    }
  });
});

test.run();
