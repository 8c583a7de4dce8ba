import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../../scripts/findings/findings.ts';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { type PulledGame, readPulledGame } from '../../../../scripts/upstream/commands/pulled-game.ts';
import { recover } from '../../../../scripts/upstream/commands/take-out-build.ts';
import { holdsBack, tryBuild } from '../../../../scripts/upstream/commands/try-build.ts';
import { HeldBuilds, hashTrial } from '../../../../scripts/upstream/pull/held.ts';
import type { GameUpstream } from '../../../../scripts/upstream/pull/upstream.ts';
import type { Compiler } from '../../../../scripts/workers/compiler.ts';
import { withFolder, writeFiles } from '../../../support/fixtures.ts';
import { startInProcess } from '../../../support/workers-in-process.ts';

const test = suite('trying a build');

const COMMIT = 'c'.repeat(40);
const BUILD = {
  ...{ build: '1.1', released_at: '2026-01-02T00:00:00Z', subject: 'Update 1.1', settledAt: 0 },
  ...{ commit: COMMIT, newestCommit: COMMIT, corrections: 0 },
};

const FILES = {
  'data/game/game.json': {
    title: 'Game',
    source: { git: 'https://example.org/game.git', build: 'date' },
    tables: { units: 'units.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': name}" },
  },
  'dump/units.json': { ann: { name: 'Ann' } },
};
const ERROR: Finding = {
  check: 'records-lost',
  severity: 'error',
  place: { file: '1.1/units.json', pointer: '', line: 1 },
  found: 'fewer characters',
  expected: 'more',
};
const OVERRIDES = [{ check: 'records-lost', reason: 'A purge.' }];

/** Tries the build in a new folder. `compile` stands for the check, and returns what it finds. */
async function tryIn(
  use: (
    attempt: (compile?: () => Promise<Finding[]>) => Promise<string>,
    game: PulledGame,
    cwd: string,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(FILES, async (cwd) => {
    const data = path.join(cwd, 'data');
    const game = await readPulledGame('game', data, true);
    if (game === undefined) throw new Error('the game has a source');
    const upstream: GameUpstream = {
      builds: [BUILD],
      problems: [],
      silence: { faults: [], elsewhere: 0 },
      withDump: (_, useDump) => useDump(path.join(cwd, 'dump'), undefined),
    };
    const attempt = async (compile = async (): Promise<Finding[]> => []) => {
      const options = {
        ...{ data, out: path.join(cwd, 'dist'), buildCache: path.join(cwd, 'cache') },
        reviews: path.join(cwd, 'reviews'),
        notify: async () => [],
        upstream: { cache: path.join(cwd, 'cache'), allowLocal: false },
        references: false,
        compiler: { compile: async () => ({ findings: await compile() }) } as unknown as Compiler,
        start: startInProcess,
      };
      const held = await HeldBuilds.read(game.folder);
      return await tryBuild(game, upstream, BUILD, held, options).catch((error: Error) => error.message);
    };
    await use(attempt, game, cwd);
  });
}

async function hasBuild({ folder }: PulledGame): Promise<boolean> {
  return (await readdir(folder)).includes(BUILD.build);
}

test('a warning holds its build back if its check is in "hold_on"', () => {
  const warning: Finding = { ...ERROR, check: 'records-lost', severity: 'warning', build: '1.1' };
  const isHeldFor = holdsBack({ hold_on: ['records-lost'] }, '1.1');
  assert.is(isHeldFor(warning), true);
  assert.is(isHeldFor({ ...warning, build: '1.0' }), false);
  assert.is(isHeldFor({ ...warning, check: 'values-lost' }), false);
});

test('a folder that is no build stays when upstream has a build of its name', async () => {
  await tryIn(async (attempt, game, cwd) => {
    await writeFiles(cwd, { 'data/game/1.1/notes.json': {} });
    assert.match(await attempt(), '1.1 exists and is not a build');
    await recover(game.folder, await HeldBuilds.read(game.folder));
    await access(path.join(game.folder, '1.1/notes.json'));
  });
});

test('all builds that a killed process was checking are taken out', async () => {
  await tryIn(async (attempt, game, cwd) => {
    assert.is(await attempt(), 'added');
    const build = { released_at: '2026-01-03T00:00:00Z' };
    await writeFiles(cwd, { 'data/game/1.2/build.json': build });
    await (await HeldBuilds.read(game.folder)).beginTrying('1.1', '1.2');
    await recover(game.folder, await HeldBuilds.read(game.folder));
    assert.equal(await readdir(game.folder), ['game.json']);
  });
});

test('what a maintainer writes into held.json during the check stays', async () => {
  await tryIn(async (attempt, game) => {
    const write = async (known: Json) => {
      await writeFiles(game.folder, { 'held.json': { trying: '1.1', builds: { '1.1': known } } });
    };
    const read = async () => (await HeldBuilds.read(game.folder)).find('1.1');
    const refused = await attempt(async () => {
      await write({ overrides: OVERRIDES });
      return [ERROR];
    });
    assert.is(refused, 'held');
    const held = await read();
    assert.equal(held?.overrides, OVERRIDES);
    const now = await hashTrial(game.folder, [], {
      commit: COMMIT,
      ...(held && { overrides: held.overrides }),
    });
    assert.is.not(held?.tried, now);

    const skipped = await attempt(async () => {
      await write({ skip: true });
      return [];
    });
    assert.equal([skipped, await read(), await hasBuild(game)], ['held', { skip: true }, false]);
  });
});

test('warnings about the build hold it back if the game says so', async () => {
  const warning = { ...ERROR, check: 'csv-columns', severity: 'warning', build: '1.1' } as const;
  const tried = async (finding: Finding, hold_on?: (typeof warning.check)[]) => {
    let outcome = '';
    await tryIn(async (attempt, game) => {
      if (hold_on) game.source.hold_on = hold_on;
      outcome = await attempt(async () => [finding]);
    });
    return outcome;
  };
  assert.is(await tried(warning), 'added');
  assert.is(await tried(warning, ['csv-columns']), 'held');
  assert.is(
    await tried({ ...warning, build: '1.0' }, ['csv-columns']),
    'added',
    'it is about a build that is served',
  );
});

test('a build keeps a dataset of the build before if nothing else holds it back', async () => {
  const strange = { ...ERROR, check: 'values-changed', build: '1.1', dataset: 'arenas' } as const;
  const carriedIn = async (findings: (carried: boolean) => Finding[]) => {
    let outcome: unknown;
    await tryIn(async (attempt, game) => {
      const file = path.join(game.folder, '1.1/build.json');
      const read = async () => JSON.parse(await readFile(file, 'utf8')).carried;
      const tried = await attempt(async () => findings((await read()) !== undefined));
      outcome = [tried, tried === 'added' ? await read() : undefined];
    });
    return outcome;
  };
  assert.equal(await carriedIn((carried) => (carried ? [] : [strange])), [
    'added',
    { arenas: 'values-changed' },
  ]);
  assert.equal(await carriedIn(() => [strange]), ['held', undefined], 'others refer to what it lacks');
  assert.equal(await carriedIn((carried) => (carried ? [] : [strange, ERROR])), ['held', undefined]);
});

test('a build that is held back for the same as one before it is not reported', async () => {
  await tryIn(async (attempt, game) => {
    const before = { questions: ['records-lost characters', 'values-lost items'], errors: ['one', 'two'] };
    await writeFiles(game.folder, { 'held.json': { builds: { '1.0': before } } });
    assert.is(await attempt(async () => [{ ...ERROR, of: 'characters', found: 'some fewer' }]), 'held');
    const held = (await HeldBuilds.read(game.folder)).find('1.1');
    assert.equal([held?.same_as, held?.reported], ['1.0', true]);
    assert.is(await attempt(async () => [{ ...ERROR, of: 'characters.name' }]), 'held');
    const asked = (await HeldBuilds.read(game.folder)).find('1.1');
    assert.equal([asked?.same_as, asked?.reported], [undefined, false]);
  });
});

for (const [reason, check, found] of [
  ['the disk is full', 'system-limit', 'ENOSPC: no space left on device'],
  ['upstream cannot be reached', 'upstream-file', 'files that cannot be fetched'],
] as const) {
  test(`a build is not held back because ${reason}`, async () => {
    await tryIn(async (attempt, game) => {
      assert.match(await attempt(async () => [{ ...ERROR, check, found }]), `it cannot be checked: ${found}`);
      const held = await HeldBuilds.read(game.folder);
      assert.equal([held.trying, held.find('1.1')], [['1.1'], undefined]);
      await recover(game.folder, held);
      assert.is(await hasBuild(game), false);
      assert.is(await attempt(), 'added');
    });
  });
}

test.run();
