import type { PackageOrigin } from '../../read/game.ts';
import type { Commit } from './mirror.ts';

/** A commit that names a build. */
export interface NamedCommit extends Commit {
  build: string;
  /** ISO 8601 in UTC; undefined when the date of the build's first commit counts. */
  released_at: string | undefined;
  /** The folder of the repository that has its files, if it is named by one. */
  folder?: string | undefined;
}

/** A build as upstream has it. */
export interface UpstreamBuild {
  build: string;
  /** ISO 8601 in UTC. */
  released_at: string;
  /** The commit that counts: the last within the settling time. */
  commit: string;
  subject: string;
  /** When the settling time ends, in ms since 1970. */
  settledAt: number;
  /** How many later commits name the same build. */
  corrections: number;
  /** The last of all commits that name it. */
  newestCommit: string;
  /** When the last commit says that it is released, if that is another time. */
  corrected_at?: string;
  /** The folder of the repository that has its files, if it is named by one. */
  folder?: string;
  /** The package that it is made from, if it is. */
  package?: PackageOrigin;
}

const MINUTE_MS = 60_000;

/**
 * Groups commits by the build that they name. Of the commits of a build, the last within the settling time counts, which begins with the first.
 *
 * @param commits oldest first
 * @returns the builds in the order of their release
 */
export function groupBuilds(commits: readonly NamedCommit[], settleMinutes: number): UpstreamBuild[] {
  const groups = new Map<string, NamedCommit[]>();
  for (const commit of commits) {
    const group = groups.get(commit.build);
    if (group) group.push(commit);
    else groups.set(commit.build, [commit]);
  }
  const builds = [...groups.values()]
    .map((group) => describeGroup(group, settleMinutes * MINUTE_MS))
    .sort((a, b) => Date.parse(a.released_at) - Date.parse(b.released_at));
  // Builds of one second stay in the order of upstream.
  for (const [index, build] of builds.entries()) {
    const before = Date.parse(builds[index - 1]?.released_at ?? '');
    if (Date.parse(build.released_at) <= before)
      build.released_at = new Date(before + 1000).toISOString().replace('.000Z', 'Z');
  }
  return builds;
}

function describeGroup(group: readonly NamedCommit[], settleMs: number): UpstreamBuild {
  const [first] = group as [NamedCommit];
  const settledAt = first.at + settleMs;
  const counting = group.filter(({ at }) => at <= settledAt);
  const last = counting.at(-1) ?? first;
  const dated = last.released_at ?? new Date(first.at).toISOString().replace('.000Z', 'Z');
  const corrected_at = group.at(-1)?.released_at;
  const { build, commit, subject, folder } = last;
  return {
    ...{ build, commit, subject, settledAt },
    released_at: dated,
    corrections: group.length - counting.length,
    newestCommit: (group.at(-1) ?? last).commit,
    ...(corrected_at !== undefined && corrected_at !== dated && { corrected_at }),
    ...(folder !== undefined && { folder }),
  };
}
