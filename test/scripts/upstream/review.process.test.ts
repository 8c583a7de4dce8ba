import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import { runCommand } from '../../support/command.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';
import { UpstreamRepository } from '../../support/upstream-repository.ts';

const reviews = suite('gamedata review');
const test = withPrograms(reviews, 'git');

const HOSTILE = '</pre><script>alert(1)</script> `code` @all';
const unit = (index: number, hp: number): JsonObject => ({
  id: `u${index}`,
  name: index === 1 ? HOSTILE : `Unit ${index}`,
  rarity: 3 + (index % 3),
  stats: { hp },
});
const FIRST = Array.from({ length: 6 }, (_, index) => unit(index, 100 + index));

function withGame(
  files: Files,
  use: (run: (...args: string[]) => ReturnType<typeof runInProcess>, cwd: string) => Promise<void>,
) {
  return withFolder(files, (cwd) =>
    use((...args) => runInProcess('gamedata', ['review', ...args], { cwd }), cwd),
  );
}

test('shows a game that was never built, a build beside the one before, and one that cannot be compiled', async () => {
  await withGame(inFolder('data/game', gameFiles({ '1.0/characters.json': FIRST })), async (run, cwd) => {
    const fresh = await run('game');
    assert.equal([fresh.code, fresh.stderr], [0, '']);
    assert.match(
      fresh.stdout,
      '## `game` `1.0`\n\n`Game`, released at 2026-01-01T00:00:00Z; a new game, compared with nothing; 1 error',
    );
    assert.not.match(fresh.stdout, '### What changed');
    const second = FIRST.map((record, index) => (index === 2 ? unit(2, 900) : record));
    await writeFiles(cwd, {
      'data/game/1.1/build.json': { released_at: '2026-02-01' },
      'data/game/1.1/characters.json': second,
    });
    const { stdout } = await run('game');
    assert.match(stdout, '## `game` `1.0` → `1.1`');
    assert.match(stdout, '| `u2 Unit 2` | `stats.hp` | `102` | `900` (+782.4%) |');
    await writeFiles(cwd, { 'data/game/1.1/characters.json': FIRST.slice(0, 2) });
    assert.match(
      (await run('game')).stdout,
      /error data\/game\/1\.1\/\S+ \(records-lost\)[\s\S]*### What changed/,
    );
    await writeFiles(cwd, { 'data/game/1.1/characters.json': '[{' });
    const broken = await run('game');
    assert.is(broken.code, 0);
    assert.match(broken.stdout, /\(file-syntax\)/);
    assert.match(broken.stdout, 'Its errors keep it from being compiled: the records cannot be shown.');
  });
});

/** A mapping that gives the attack as the defence and the other way round; one value is written by hand. */
function mistaken(rows: number): Files {
  const raw = Array.from({ length: rows }, (_, index) => ({
    unitId: `u${index}`,
    title: index === 0 ? HOSTILE : `Unit ${index}`,
    rare: 3 + (index % 3),
    hp: 1000 + index,
    atk: 3000 + index,
    def: 20_000 + 2 * index,
  }));
  const entry = `{'id': unitId, 'name': title, 'rarity': rare, 'story': $pad('x', unitId = 'u7' ? 900 : 3), 'stats': {'hp': unitId = 'u1234' ? 9 : hp, 'atk': def, 'def': atk}}`;
  const source = { files: { 'https://example.org/units.json': 'raw/units.json' }, build: 'date' };
  return inFolder(
    'data/game',
    gameFiles({
      'game.json': {
        title: 'Game',
        source,
        tables: { units: 'raw/units.json' },
        roster: { from: 'units', entry },
      },
      '1.0/characters.json': undefined,
      '1.0/raw/units.json': raw,
    }),
  );
}

test('a new game is shown beside its raw rows, with a missing licence, long texts and a value of nowhere', async () => {
  await withGame(mistaken(1500), async (run) => {
    const { stdout } = await run('game');
    assert.match(
      stdout,
      /^\*\*Look at this before you approve it\*\* \(`game`\):\n\n- `no licence is stated/,
    );
    assert.match(stdout, 'source: https://example.org/units.json\nlicence: NOT STATED');
    assert.match(stdout, 'characters.stats.hp: 1 of 1500 records have a value that no column holds: u1234 9');
    assert.match(stdout, 'characters.story: 1 text of more than 600 characters; u7 has 900 characters');
    assert.match(
      stdout,
      /u150 Unit 150: data\/game\/1\.0\/raw\/units\.json \/150\n {2}id +"u150" = unitId\n/,
    );
    assert.match(stdout, / {2}stats\.atk +20300 = def\n/);
    assert.ok(stdout.length < 62_000, String(stdout.length));
  });
});

test('a new game whose records need too much to be shown says so', async () => {
  const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`c${at}`, at * 1e6]));
  const raw = Array.from({ length: 300 }, (_, at) => ({ ...wide, unitId: `u${at}`, title: `Unit ${at}` }));
  await withFolder({ ...mistaken(1), 'data/game/1.0/raw/units.json': raw }, async (cwd) => {
    const args = ['review', 'game', '--memory-limit', '90'];
    const { stdout } = await runCommand('gamedata', args, { cwd });
    assert.match(stdout, /a new game, compared with nothing; [\s\S]*\(memory-limit\)/);
  });
});

test('every build that a change touches is shown once, and what decides about publishing comes first', async () => {
  await withFolder({}, async (folder) => {
    const repository = await UpstreamRepository.create(path.join(folder, 'project'));
    const source = { git: 'https://example.org/owner/dumps.git', build: 'date' };
    const game = (hp: number, of: object, more: Files = {}) =>
      inFolder(
        'games/one',
        gameFiles({
          'game.json': { title: 'One', ...of },
          '1.0/characters.json': [{ id: 'ann', name: 'Ann', stats: { hp } }],
          ...more,
        }),
      );
    await repository.commit('First', '2026-01-01T00:00:00Z', game(100, { source }));
    await repository.git(['branch', 'release/1']);
    const changed = { source: { ...source, git: 'https://elsewhere.example/else/dumps.git', hold_on: [] } };
    const two = inFolder('games/two', gameFiles({ '1.0/characters.json': [{ id: 'bob', name: 'Bob' }] }));
    await repository.commit('Second', '2026-01-02T00:00:00Z', {
      ...game(250, changed, {
        '1.0/build.json': { released_at: '2026-01-01', amended: [{ at: '2026-01-02', reason: 'typo' }] },
      }),
      ...two,
    });
    const review = (...args: string[]) =>
      runInProcess('gamedata', ['review', '--data', 'games', ...args], { cwd: repository.folder });
    const { code, stdout, stderr } = await review('--against', 'release/1');
    assert.is(code, 1);
    assert.match(stderr, 'say something else, or were removed: read why above, and pass --approved');
    assert.match(stdout, /^\*\*This changes what is published without you\*\* \(`one`\):\n\n/);
    assert.match(
      stdout,
      '- **`/source/git: "https://example.org/owner/dumps.git" → "https://elsewhere.example/else/dumps.git"`**',
    );
    assert.match(stdout, '- **`/source/hold_on: nothing → []`**');
    assert.match(
      stdout,
      /\*\*Builds that are released say something else now\*\* \(`one`\):\n\n- `1\.0`: 1 value changed; `typo`\n/,
    );
    assert.match(stdout, /## `one` `1\.0` → `1\.0`[\s\S]*compared with release\/1, commit [0-9a-f]{10};/);
    assert.match(stdout, /## `two` `1\.0`[\s\S]*a new game, compared with nothing/);
    assert.is(stdout.match(/^## /gm)?.length, 2);
    assert.is((await review('--against', 'release/1', '--approved')).code, 0);

    await repository.commit(
      'Third',
      '2026-01-03T00:00:00Z',
      game(
        250,
        { source: { ...source, accept_after: false } },
        { '1.0/build.json': { released_at: '2026-01-01', amended: [{ at: '2026-01-02', reason: 'typo' }] } },
      ),
    );
    const definition = await review('--against', 'HEAD~1');
    assert.match(definition.stdout, '- **`/source/accept_after: nothing → false`**');
    assert.is(definition.code, 0);
    assert.match((await review('--against', 'HEAD')).stdout, /^No build differs\.\n$/);
    const corrections = [{ id: 'ann', attribute: 'stats.hp', value: 999, reason: 'typo', since: '1.0' }];
    await repository.commit('Fourth', '2026-01-04T00:00:00Z', {
      ...inFolder('games/one', {
        'game.json': {
          title: 'One',
          source: { ...source, accept_after: { builds: 1, days: 0 }, hold_on: ['records-lost'] },
          checks: { 'records-lost': { max_lost_share: 0.9 } },
        },
        'corrections.json': { corrections },
        'held.json': { builds: { '1.1': { commit: 'c', take: true }, '1.2': { commit: 'c' }, '1.3': null } },
        '1.1/build.json': { released_at: '2026-01-02' },
      }),
    });
    const corrected = await review('--against', 'HEAD~1');
    const [, first = ''] = /^\*\*This changes.*\n\n((?:- .*\n)+)/.exec(corrected.stdout) ?? [];
    for (const line of [
      '/source/accept_after: false → {"builds":1,"days":0}',
      '/source/hold_on: nothing → ["records-lost"]',
      '/checks: nothing → {"records-lost":{"max_lost_share":0.9}}',
      '/corrections/0: nothing → {"id":"ann","attribute":"stats.hp","value":999,"reason":"typo","since":"1.0"}',
      '/held/1.1: nothing → {"take":true}',
    ])
      assert.match(first, `- **\`${line}\`**\n`);
    assert.match(corrected.stdout, /- `1\.0`: 1 value changed; `typo`\n/);
    await repository.git(['rm', '--quiet', '-r', 'games/one/1.1', 'games/two']);
    const removed = await review('--against', 'HEAD');
    assert.match(removed.stdout, /- `1\.0`: 0 values changed; `build 1\.1 was removed`, `typo`\n/);
    assert.match(removed.stdout, /^\*\*Game `two` was removed\*\*$/m);
    assert.equal([corrected.code, removed.code], [1, 1]);
    assert.match(
      (await review('--against', 'nothing')).stderr,
      /nothing is not a commit of the git repository/,
    );
    assert.is((await review('--against', '--upload-pack=x')).code, 2);
  });
});

reviews.run();
