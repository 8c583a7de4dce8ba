import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  describeQuiet,
  groupBuilds,
  makeBuild,
  type NamedCommit,
} from '../../../../scripts/upstream/pull/builds.ts';

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
  // The date of the commit that counts orders the builds.
  commit('1.2', '2026-02-01T00:00:00Z', '2026-05-01T00:00:00Z'),
  commit('1.2', '2026-02-01T00:10:00Z', '2025-12-02T00:00:00Z'),
];

test('of the commits of a build, the last within the settling time counts, and later ones are corrections', () => {
  const found = groupBuilds(COMMITS, 60);
  assert.equal(
    found.map(({ build, commit: hash, released_at, newestCommit }) => [
      ...[build, hash, released_at, newestCommit],
    ]),
    [
      ['1.2', '1.2 at 2026-02-01T00:10:00Z', '2025-12-02T00:00:00Z', '1.2 at 2026-02-01T00:10:00Z'],
      ['1.0', '1.0 at 2026-01-01T01:00:00Z', '2026-01-01T00:00:00Z', '1.0 at 2026-01-01T01:00:01Z'],
      ['1.1', '1.1 at 2026-01-01T00:40:00Z', '2026-01-01T00:40:00Z', '1.1 at 2026-01-01T00:40:00Z'],
    ],
  );
  assert.is(groupBuilds(COMMITS, 0)[0]?.commit, '1.0 at 2026-01-01T00:00:00Z');
});

test('upstream is quiet after twice the usual time, and no interval is 0 days', () => {
  const quietFor = (days: number, hoursBetween: number) => {
    const at = (index: number) => Date.now() - days * 86_400_000 - (3 - index) * hoursBetween * 3_600_000;
    const build = (index: number) => makeBuild(`1.${index}`, new Date(at(index)).toISOString(), '', '');
    return describeQuiet([0, 1, 2, 3].map(build));
  };
  assert.is(quietFor(59, 30 * 24), undefined);
  assert.match(
    quietFor(61, 30 * 24) ?? '',
    /^no build since 1\.3, 61 days ago; usual is 30 days\. If upstream/,
  );
  assert.match(quietFor(8, 1) ?? '', '8 days ago; usual is less than a day.');
});

test.run();
