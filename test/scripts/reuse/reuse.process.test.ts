import { readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from '../commands/hash-folder.ts';

const test = suite('reuse of builds');

const BOTH = '[{"id": "ann", "name": "Ann", "name_ja": "アン"}, {"id": "bob", "name": "Bob"}]';
const ITEMS = { from: 'items', entry: { file: 'items.jsonata' } };

const GAME = { title: 'G', draft: true, tables: { items: 'raw/items.json' }, datasets: { items: ITEMS } };

/** A draft of four builds with a mapped table. Its builds depend on every kind of input. */
const FILES = gameFiles({
  'game.json': { ...GAME, language: 'en' },
  'items.jsonata': "{ 'id': $key, 'cost': cost }",
  '1.0/raw/items.json': '{"a": {"cost": 1}}',
  '1.0/READ-ME.json': {},
  '1.1/build.json': { released_at: '2026-02-01' },
  '1.1/characters.json': BOTH,
  '1.2/build.json': { released_at: '2026-03-01' },
  '1.2/raw/items.json': '{"a": {"cost": 2}}',
  '1.3/build.json': { released_at: '2026-04-01' },
  '1.3/characters.json': BOTH.replace('アン', 'あん'),
  '1.3/news.json': [{ id: 'fair', name: 'Fair', start: '2026-03-10' }],
});

interface Place {
  cwd: string;
  game: string;
  /** Builds with the cache, and checks that a build without it gives the same. @returns what was printed */
  build(): Promise<string>;
}

async function withBuilt(use: (place: Place) => Promise<void>): Promise<void> {
  await withFolder(inFolder('data/game', FILES), async (cwd) => {
    const build = async () => {
      const kept = await runInProcess('gamedata', ['build'], { cwd });
      const anew = await runInProcess('gamedata', ['build', '--no-cache', '--out', 'anew'], { cwd });
      assert.equal([kept.code, anew.code], [0, 0], kept.stderr);
      const [dist, fresh] = await Promise.all(
        ['dist', 'anew'].map((name) => hashFolder(path.join(cwd, name))),
      );
      assert.is(dist?.['index.json'], fresh?.['index.json']);
      for (const [file, hash] of Object.entries(fresh ?? {})) assert.is(dist?.[file], hash, file);
      assert.match(kept.stderr, 'warning data/game/1.0/READ-ME.json:1 (dataset-file)');
      await rm(path.join(cwd, 'anew'), { recursive: true });
      return kept.stdout;
    };
    await build();
    await use({ cwd, game: path.join(cwd, 'data/game'), build });
  });
}

/** Each input that builds depend on, and another content. */
const INPUTS: Files = {
  'game.json': { ...GAME, language: 'en', played_in: 'ja' },
  '1.2/build.json': { released_at: '2026-03-15' },
  '1.3/characters.json': BOTH.replace('Bob', 'Rob'),
  '1.3/build.json': { released_at: '2026-04-01', note: 'new' },
  '1.2/raw/items.json': '{"a": {"cost": 3}}',
  '1.0/build.json': { released_at: '2026-01-01', note: 'first' },
  '1.0/pull_planner.json': { currency: 'gold' },
  'items.jsonata': "{ 'id': $key, 'cost': cost + 1 }",
  '1.4/build.json': { released_at: '2026-05-01' },
  '1.15/build.json': { released_at: '2026-02-15' },
};
for (const [file, content] of Object.entries(INPUTS))
  test(`a change of ${file} gives what a build of everything gives`, async () => {
    await withBuilt(async ({ game, build }) => {
      assert.match(await build(), '(0.00 MB new)');
      await writeFiles(game, { [file]: content });
      await build();
    });
  });

test('a file with another content and the same size and time is noticed', async () => {
  await withBuilt(async ({ game, build }) => {
    const file = path.join(game, '1.2/raw/items.json');
    const hour = new Date(Date.now() - 3_600_000);
    await utimes(file, hour, hour);
    await build();
    await build();
    await writeFile(file, (await readFile(file, 'utf8')).replace('2', '7'));
    await utimes(file, hour, hour);
    await build();
  });
});

test('files that dist/ lacks, or that are incomplete, are made again', async () => {
  await withBuilt(async ({ cwd, build }) => {
    const files = await readdir(path.join(cwd, 'dist/game'));
    for (const [at, file] of files.entries()) if (at % 2 === 0) await rm(path.join(cwd, 'dist/game', file));
    await build();
    for (const file of files.filter((name) => name.startsWith('snapshot')))
      await writeFile(path.join(cwd, 'dist/game', file), 'x');
    await build();
  });
});

test('a damaged cache only costs time', async () => {
  await withBuilt(async ({ cwd, build }) => {
    for (const content of ['', '{', '{"code": 1}', '[]', 'null']) {
      const cached = await readdir(path.join(cwd, 'var'), { recursive: true, withFileTypes: true });
      const files = cached.filter((entry) => entry.isFile());
      assert.ok(files.length > 0);
      for (const { parentPath, name } of files) await writeFile(path.join(parentPath, name), content);
      await build();
    }
  });
});

test('an error is reported by every run, also one about the files of a build that did not change', async () => {
  await withBuilt(async ({ cwd, game }) => {
    await symlink('items.json', path.join(game, '1.0/raw/more.json'));
    await writeFiles(game, { '1.3/characters.json': [{ id: 'a b', name: 'A' }] });
    for (const _ of [1, 2]) {
      const { code, stderr } = await runInProcess('gamedata', ['build'], { cwd });
      assert.is(code, 1);
      assert.match(stderr, '1.0/raw/more.json:1 (table-files)');
      assert.match(stderr, '1.3/characters.json:3 /0/id (character-schema)');
    }
  });
});

test.run();
