import { isObject, type Json } from '../../format/dist-format.ts';
import type { UpstreamBuild } from './group-builds.ts';
import type { Packument } from './npm-registry.ts';
import { findProblem, readDate } from './read-commits.ts';
import type { RawSource, RawSplit } from './source-definition.ts';

/** A build that is a version of a package, or a part of one. */
export interface PackageBuild extends UpstreamBuild {
  version: string;
  /** The groups of rows that it has, if the version is split; absent for all rows. */
  groups?: ReadonlySet<string>;
}

/** Builds, and what is wrong with what should be one. */
interface Found {
  builds: PackageBuild[];
  problems: string[];
}

/** Finds the builds that a table of versions names. A newer version that it lacks is a problem: nothing else says which build it is. */
export function findVersions(packument: Packument, versions: NonNullable<RawSource['versions']>): Found {
  const { name, latest } = packument;
  const result: Found = { builds: [], problems: [] };
  for (const [version, { build, released_at }] of Object.entries(versions)) {
    const date = readDate(released_at);
    const problem = packument.versions.has(version)
      ? findProblem(build, date === undefined)
      : `is in "versions" of "source", and the registry has no such version of ${name} with a SHA-512`;
    if (problem !== undefined) result.problems.push(`version ${version} ${problem}`);
    else result.builds.push(makeBuild(packument, version, build, date ?? ''));
  }
  if (latest !== undefined && !Object.hasOwn(versions, latest))
    result.problems.push(
      `version ${latest}, the newest of ${name}: add the build that it is to "versions" of "source", as in "${latest}": {"build": "1.0", "released_at": "2026-01-31"}`,
    );
  return result;
}

/**
 * Finds the builds that one version is split into: one for each date, with the groups of rows until then. The first group of a date names its build.
 *
 * @param rows those that date the groups
 */
export function splitVersion(
  packument: Packument,
  version: string,
  rows: Json | undefined,
  { file, build, date }: RawSplit,
): Found {
  const problems: string[] = [];
  const groups = Object.values(rows ?? {}).flatMap((row) => {
    const { [build]: group, [date]: day } = isObject(row) ? row : {};
    const at = typeof day === 'string' ? readDate(day) : undefined;
    const problem =
      typeof group === 'string' ? findProblem(group, at === undefined) : `has a row without "${build}"`;
    if (typeof group === 'string' && at !== undefined && problem === undefined) return { group, at };
    problems.push(`${file} ${problem}`);
    return [];
  });
  const dates = [...new Set(groups.map(({ at }) => at))].sort();
  const builds = dates.map((until) => {
    const name = groups.find(({ at }) => at === until)?.group ?? '';
    const earlier = groups.filter(({ at }) => at <= until);
    return {
      ...makeBuild(packument, version, name, until),
      groups: new Set(earlier.map(({ group }) => group)),
    };
  });
  return { builds, problems };
}

function makeBuild(
  { name, versions }: Packument,
  version: string,
  build: string,
  released_at: string,
): PackageBuild {
  const { integrity = '' } = versions.get(version) ?? {};
  return {
    ...{ build, released_at, version, commit: integrity, newestCommit: integrity },
    ...{ subject: `${name} ${version}`, settledAt: 0, corrections: 0 },
    package: { npm: name, version, integrity },
  };
}
