import path from 'node:path';
import { fileOf, type GamePlan, nameOfDataset } from '../dist/plan.ts';
import { readWhole } from '../dist/read-dist.ts';
import type { Finding } from '../findings/findings.ts';
import { type BuildEntry, type JsonObject, sliceList } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { type ChangedBuild, findChangedBuilds, lockFileOf, type RecordedBuilds } from './builds-lock.ts';

const MAX_NAMED = 5;

/**
 * Finds the released builds of a plan that differ from their records.
 *
 * @param folder the game's folder
 * @param out dist/, which may still have the recorded files, so that findings can name records
 * @param now ms since 1970
 */
export async function checkRecorded(
  folder: string,
  recorded: RecordedBuilds,
  plan: GamePlan,
  out: string | undefined,
  now: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const changed of findChangedBuilds(recorded, plan.entries, now)) {
    const entry = plan.entries.find(({ build }) => build === changed.build);
    const records = entry && out !== undefined ? await nameRecords(out, plan, changed, entry) : [];
    findings.push(describeChange(folder, changed, records));
  }
  return findings;
}

function describeChange(folder: string, { build, parts, missing }: ChangedBuild, records: string[]): Finding {
  const lock = lockFileOf(folder);
  const named = records.slice(0, MAX_NAMED).join(', ');
  const more = records.length > MAX_NAMED ? ` and ${records.length - MAX_NAMED} more` : '';
  return {
    check: 'recorded-build',
    severity: 'error',
    place: missing
      ? { file: lock, pointer: pointerTo('/builds', build) }
      : { file: path.posix.join(folder, build, 'build.json'), pointer: '', line: 1 },
    found: missing
      ? `no build ${build}`
      : `different content in ${parts.join(', ')}${records.length > 0 ? ` (${named}${more})` : ''}`,
    expected: `the build as recorded in ${lock}`,
    fix: `undo the change (gamedata diff ${path.posix.basename(folder)}${missing ? '' : ` ${build}`} --against dist shows it), or record a correction with gamedata build --amend "<why>"`,
  };
}

/** The ids of records that differ, with the name of their list. */
async function nameRecords(
  out: string,
  { slug, files }: GamePlan,
  { recorded, parts }: ChangedBuild,
  entry: BuildEntry,
): Promise<string[]> {
  const named: string[] = [];
  for (const part of parts.filter((name) => name !== 'roster')) {
    const now = part === 'characters' ? entry.characters : entry.datasets.find(({ key }) => key === part);
    const hash = part === 'characters' ? recorded.characters : recorded.datasets[part];
    if (now === undefined || hash === undefined) continue;
    const name = part === 'characters' ? part : nameOfDataset(part);
    const before = await readWhole(out, { file: fileOf(slug, name, hash), sha256: hash });
    const after = files.get(now.file) ?? (await readWhole(out, now));
    if (before && after) named.push(...differingIds(before, Buffer.from(after)).map((id) => `${part} ${id}`));
  }
  return named;
}

function differingIds(before: Buffer, after: Buffer): string[] {
  const linesOf = (file: Buffer) => new Set(sliceList(file).map((line) => line.toString()));
  try {
    const [earlier, later] = [linesOf(before), linesOf(after)];
    const differing = [
      ...[...earlier].filter((line) => !later.has(line)),
      ...[...later].filter((line) => !earlier.has(line)),
    ];
    const ids = differing.map((line) => (JSON.parse(line) as JsonObject).id);
    return [...new Set(ids.filter((id) => typeof id === 'string'))];
  } catch {
    // One of the files holds an object, which has no records.
    return [];
  }
}
