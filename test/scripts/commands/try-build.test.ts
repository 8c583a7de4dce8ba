import { access } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPulledGame } from '../../../scripts/commands/pulled-game.ts';
import { recover, tryBuild } from '../../../scripts/commands/try-build.ts';
import { HeldBuilds } from '../../../scripts/pull/held.ts';
import type { GameUpstream } from '../../../scripts/pull/upstream.ts';
import type { Compiler } from '../../../scripts/workers/compiler.ts';
import { withFolder, writeFiles } from '../../support/fixtures.ts';

const test = suite('trying a build');

const COMMIT = 'c'.repeat(40);
const BUILD = {
  ...{ build: '1.1', released_at: '2026-01-02T00:00:00Z', subject: 'Update 1.1', settledAt: 0 },
  ...{ commit: COMMIT, newestCommit: COMMIT, corrections: 0 },
};

test('a folder that is no build stays when upstream has a build of its name', async () => {
  const files = {
    'data/game/game.json': {
      title: 'Game',
      source: { git: 'https://example.org/game.git', build: 'date' },
      tables: { units: 'units.json' },
      roster: { from: 'units', entry: "{'id': $key, 'name': name}" },
    },
    'dump/units.json': { ann: { name: 'Ann' } },
  };
  await withFolder(files, async (cwd) => {
    const data = path.join(cwd, 'data');
    const game = await readPulledGame('game', data, true);
    if (game === undefined) throw new Error('the game has a source');
    await writeFiles(cwd, { 'data/game/1.1/notes.json': {} });
    const upstream: GameUpstream = {
      builds: [BUILD],
      problems: [],
      withDump: (_, use) => use(path.join(cwd, 'dump'), undefined),
    };
    const held = await HeldBuilds.read(game.folder);
    const options = {
      ...{ data, out: path.join(cwd, 'dist'), buildCache: path.join(cwd, 'cache') },
      reviews: path.join(cwd, 'reviews'),
      notify: async () => [],
      upstream: { cache: path.join(cwd, 'cache'), allowLocal: false },
      references: false,
      // Nothing is compiled.
      compiler: {} as Compiler,
    };
    const refused = await tryBuild(game, upstream, BUILD, held, options).catch(
      (error: Error) => error.message,
    );
    assert.match(String(refused), '1.1 exists and is not a build');
    await recover(game.folder, await HeldBuilds.read(game.folder));
    await access(path.join(game.folder, '1.1/notes.json'));
  });
});

test.run();
