import path from 'node:path';
import type { GamePlan } from '../dist/plan.ts';
import { readPlanned } from '../dist/planned-files.ts';
import { readBuild, readManifestOf } from '../dist/read-dist.ts';
import type { Finding } from '../findings/findings.ts';
import { type BuildContent, contentReader, type RecordTexts } from '../format/build-content.ts';
import { type BuildEntry, ownValue, parseRecord } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import {
  type ChangedBuild,
  findChangedBuilds,
  isSame,
  lockFileOf,
  type RecordedBuilds,
} from './builds-lock.ts';
import { type Published, recordsToMatch } from './published-builds.ts';

const MAX_NAMED = 5;

/**
 * Finds the released builds of a plan that differ from their records. Builds that differ in the same lists and datasets are one finding,
 * because one change, as of the mapping, is probably the cause of all.
 *
 * @param folder the game's folder
 * @param lock the builds of builds.lock.json
 * @param known what is published, dist/, which may still have the recorded files, so that findings can name records, and the time in ms since
 *   1970
 */
export async function checkRecorded(
  folder: string,
  lock: RecordedBuilds,
  plan: GamePlan,
  { published, out, now }: { published: Published | undefined; out: string | undefined; now: number },
): Promise<Finding[]> {
  const records = recordsToMatch(lock, published, plan);
  const changed = findChangedBuilds(records, plan.entries, now);
  const isLocked = ({ build, recorded }: ChangedBuild) => ownValue(lock, build) === recorded;
  const placeOf = (build: ChangedBuild) =>
    isLocked(build) || published === undefined ? lockFileOf(folder) : published.place;
  const findings = changed
    .filter(({ missing }) => missing)
    .map((build) => describeMissing(folder, build, isLocked(build), placeOf(build)));
  for (const builds of groupByParts(changed.filter(({ missing }) => !missing))) {
    const names = new Set<string>();
    for (const build of builds) {
      const entry = plan.entries.find((candidate) => candidate.build === build.build);
      if (out === undefined || entry === undefined) continue;
      for (const record of await nameRecords(out, plan, build, entry)) names.add(record);
    }
    findings.push(describeChange(folder, builds, [...names], placeOf(builds[0])));
  }
  return findings;
}

function groupByParts(builds: readonly ChangedBuild[]): [ChangedBuild, ...ChangedBuild[]][] {
  const groups = new Map<string, [ChangedBuild, ...ChangedBuild[]]>();
  for (const build of builds) {
    const key = build.parts.join();
    const group = groups.get(key);
    if (group) group.push(build);
    else groups.set(key, [build]);
  }
  return [...groups.values()];
}

function describeMissing(
  folder: string,
  { build }: ChangedBuild,
  isLocked: boolean,
  recordedIn: string,
): Finding {
  return {
    check: 'recorded-build',
    severity: 'error',
    place: isLocked
      ? { file: lockFileOf(folder), pointer: pointerTo('/builds', build) }
      : { file: path.posix.join(folder, build, 'build.json'), pointer: '', line: 1 },
    found: `no build ${build}`,
    ...whatToDo(folder, '', recordedIn),
  };
}

function describeChange(
  folder: string,
  builds: readonly [ChangedBuild, ...ChangedBuild[]],
  records: string[],
  recordedIn: string,
): Finding {
  const [{ build, parts }, ...others] = builds;
  const named = records.length > 0 ? ` (${listFew(records)})` : '';
  const all = `${builds.length} released builds: ${listFew(builds.map((changed) => changed.build))}`;
  const { expected, fix } = whatToDo(folder, ` ${build}`, recordedIn);
  return {
    check: 'recorded-build',
    severity: 'error',
    place: { file: path.posix.join(folder, build, 'build.json'), pointer: '', line: 1 },
    found: `different content in ${parts.join(', ')}${others.length > 0 ? ` of ${all}` : ''}${named}`,
    expected,
    fix:
      others.length > 0
        ? `look for one mistake in game.json or in a file that these builds share, and ${fix}`
        : fix,
  };
}

function whatToDo(folder: string, build: string, recordedIn: string): { expected: string; fix: string } {
  return {
    expected: `the build as ${recordedIn === lockFileOf(folder) ? 'recorded' : 'published'} in ${recordedIn}`,
    fix: `undo the change (gamedata diff ${path.posix.basename(folder)}${build} --against dist shows it), or record a correction with gamedata build --amend "<why>"`,
  };
}

function listFew(words: readonly string[]): string {
  const more = words.length > MAX_NAMED ? ` and ${words.length - MAX_NAMED} more` : '';
  return `${words.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** The ids of records that differ, with the name of their list. */
async function nameRecords(
  out: string,
  plan: GamePlan,
  { recorded, parts }: ChangedBuild,
  entry: BuildEntry,
): Promise<string[]> {
  const served = await readManifestOf(out, plan.slug);
  const was = served?.builds.find(({ build }) => build === entry.build);
  if (served === undefined || was === undefined || !isSame(recorded, was)) return [];
  const readPlan = contentReader(served, (ref) => readPlanned(plan, out, ref));
  const before = await readBuild(out, served, was);
  // A plan whose files were not kept cannot be read.
  const after = await readPlan(entry).catch(() => undefined);
  if (before === undefined || after === undefined) return [];
  return parts.flatMap((part) =>
    differingIds(listIn(before, part), listIn(after, part)).map((id) => `${part} ${id}`),
  );
}

/** The records of a list; none if the build has no such list. */
function listIn({ characters, datasets }: BuildContent, part: string): RecordTexts {
  if (part === 'characters') return characters;
  const dataset = datasets.get(part);
  return dataset?.kind === 'list' ? dataset.records : [];
}

function differingIds(before: RecordTexts, after: RecordTexts): string[] {
  const [earlier, later] = [new Set(before), new Set(after)];
  const differing = [...before, ...after].filter((line) => !earlier.has(line) || !later.has(line));
  const ids = differing.map((line) => parseRecord(line).id);
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}
