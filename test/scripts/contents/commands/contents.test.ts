import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

const contents = suite('gamedata contents');

const NOW = Date.parse('2026-06-20T01:00:00Z');
const DATA = {
  'data/new/game.json': {
    title: 'New',
    language: 'en',
    images: { hosts: ['i.example'], credit: '© New', terms: 'https://i.example/terms' },
    attributes: { characters: { icon: { kind: 'image' } } },
  },
  'data/new/1.0/build.json': { released_at: '2026-06-01' },
  'data/new/1.0/characters.json': [
    { id: 'a', name: 'Ann', name_ja: 'アン', icon: 'https://i.example/a.png' },
    { id: 'b', name: 'Bob' },
  ],
  'data/new/1.0/pull_planner.json': { cost: 160 },
  'data/new/1.0/banners.json': [{ id: 'x' }, { id: 'y' }, { id: 'z' }],
  'data/a-first/game.json': { title: 'First', successor: 'new' },
  'data/a-first/1.0/build.json': { released_at: '2025-06-01' },
  'data/a-first/1.0/characters.json': [{ id: 'a', name: 'Ann' }],
  'data/a-first/1.0/pull_planner.json': { cost: 160 },
};

contents('prints what each game in dist/ has, those that have ended last', async () => {
  await withFolder(DATA, async (cwd) => {
    const missing = await runInProcess('gamedata', ['contents'], { cwd });
    assert.is(missing.code, 1);
    assert.match(missing.stderr, /no game in dist\/index\.json: run gamedata build/);
    assert.is((await runInProcess('gamedata', ['build', '--coverage', 'none'], { cwd, now: NOW })).code, 0);
    const { code, stdout, stderr } = await runInProcess('gamedata', ['contents'], { cwd, now: NOW });
    assert.is(code, 0, stderr);
    assert.is(
      stdout,
      `| game | builds | newest | age in days | records | datasets | languages | pictures |
| --- | --- | --- | --- | --- | --- | --- | --- |
| new | 1 | 1.0 | 19 | 5 | 2 | en ja | characters |
| a-first (ended) | 1 | 1.0 | 384 | 1 | 1 |  |  |

| dataset | new | a-first |
| --- | --- | --- |
| banners | 3 |  |
| characters | 2 | 1 |
| pull_planner | object | object |
`,
    );
  });
});

contents.run();
