import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseBuilds } from '../../../../scripts/upstream/pull/choose-builds.ts';
import {
  groupBuilds,
  type NamedCommit,
  type UpstreamBuild,
} from '../../../../scripts/upstream/pull/group-builds.ts';

const test = suite('the builds of upstream commits');

function commit(build: string, at: string, released_at?: string): NamedCommit {
  return { commit: `${build} at ${at}`, at: Date.parse(at), subject: build, build, released_at };
}

const COMMITS = [
  commit('1.0', '2026-01-01T00:00:00Z'),
  commit('1.0', '2026-01-01T00:30:00Z'),
  commit('1.1', '2026-01-01T00:40:00Z'),
  commit('1.0', '2026-01-01T01:00:00Z'),
  commit('1.0', '2026-01-01T01:00:01Z'),
  commit('1.2', '2026-02-01T00:00:00Z'),
];

test('of the commits of a build, the last within the settling time counts, and later ones are corrections', () => {
  const found = groupBuilds(COMMITS, 60);
  assert.equal(
    found.map(({ build, commit: hash, released_at, corrections }) => [build, hash, released_at, corrections]),
    [
      ['1.0', '1.0 at 2026-01-01T01:00:00Z', '2026-01-01T00:00:00Z', 1],
      ['1.1', '1.1 at 2026-01-01T00:40:00Z', '2026-01-01T00:40:00Z', 0],
      ['1.2', '1.2 at 2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', 0],
    ],
  );
  assert.is(groupBuilds(COMMITS, 0)[0]?.commit, '1.0 at 2026-01-01T00:00:00Z');
});

test('a declared date is the one of the commit that counts, and orders the builds', () => {
  const found = groupBuilds(
    [
      commit('2', '2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z'),
      commit('2', '2026-01-01T00:10:00Z', '2026-05-02T00:00:00Z'),
      commit('1', '2026-01-02T00:00:00Z', '2026-04-01T00:00:00Z'),
    ],
    60,
  );
  assert.equal(
    found.map(({ build, released_at }) => [build, released_at]),
    [
      ['1', '2026-04-01T00:00:00Z'],
      ['2', '2026-05-02T00:00:00Z'],
    ],
  );
});

const WANTED = {
  present: new Set<string>(),
  newest: undefined,
  since: Number.NEGATIVE_INFINITY,
  limit: Number.POSITIVE_INFINITY,
  now: Date.parse('2026-03-01'),
};

function choose(changes: Partial<Parameters<typeof chooseBuilds>[1]>): Record<string, string[]> {
  const found = chooseBuilds(groupBuilds(COMMITS, 60), { ...WANTED, ...changes });
  const named = Object.entries(found).map(([why, builds]): [string, string[]] => [
    why,
    [builds ?? []].flat().map(({ build }: UpstreamBuild) => build),
  ]);
  return Object.fromEntries(named.filter(([, builds]) => builds.length > 0));
}

test('builds that the game lacks are added after its newest one', () => {
  assert.equal(choose({}), { chosen: ['1.0', '1.1', '1.2'] });
  const newest = { build: '1.1', released_at: '2026-01-01T00:40:00Z' };
  assert.equal(choose({ newest, present: new Set(['1.1']) }), { chosen: ['1.2'], older: ['1.0'] });
  assert.equal(choose({ since: Date.parse('2026-01-01T00:40:00Z'), limit: 1 }), {
    chosen: ['1.1'],
    beyond: ['1.2'],
  });
});

test('a build waits until its settling time has ended, and those after it wait too', () => {
  assert.equal(choose({ now: Date.parse('2026-01-01T01:10:00Z') }), {
    chosen: ['1.0'],
    waiting: ['1.1', '1.2'],
  });
  assert.equal(choose({ now: Date.parse('2026-01-01T01:40:00Z') }), {
    chosen: ['1.0', '1.1'],
    waiting: ['1.2'],
  });
});

test('corrections of the newest build that a game has are reported', () => {
  const newest = { build: '1.0', released_at: '2026-01-01T00:00:00Z' };
  const { chosen, corrected } = choose({ newest, present: new Set(['1.0']) });
  assert.equal([chosen, corrected], [['1.1', '1.2'], ['1.0']]);
});

test.run();
