import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { type Dump, listDump } from '../dump/list-files.ts';
import type { Finding } from '../findings/findings.ts';
import { compareNatural } from '../format/dist-format.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import { readBuilds, readGameFile } from '../read/read-game.ts';
import { editBuildFile } from '../recorded/edit-build-file.ts';
import { locateFindings, renderFindings } from '../report/report.ts';
import { type Base, chooseBase, type Wanted } from './choose-base.ts';
import { type Addition, planAddition, type Taking } from './plan-addition.ts';
import { findPresentFiles, readPathsOf } from './present-files.ts';
import { copyFiles, withStaging, writeJson } from './write-addition.ts';

/** A build that was added, or added to. */
export interface AddedBuild extends Base {
  dump: Dump;
  addition: Addition;
  /** Where the dump's files went: the build's folder, or a sub-folder. */
  target: string;
}

/**
 * Takes a dump as a build of a game: of its files those that the game reads and that differ from what the build would inherit, and in
 * `build.json` those that are gone. The build's folder appears whole, or not at all.
 *
 * @param from the dump's folder
 * @param now ISO 8601 in UTC, to the second
 * @throws CommandError when the build cannot be added; the game's folder is then as it was
 */
export async function addBuild(
  from: string,
  wanted: Wanted,
  taking: Taking,
  now: string,
): Promise<AddedBuild> {
  const dump = await listDump(from);
  return await withStaging(wanted.game, async (staging) => {
    const findings: Finding[] = [];
    const raw = await readGameFile(wanted.game, findings);
    const builds = await readBuilds(wanted.game, raw, findings);
    const base = await chooseBase(builds, wanted, now);
    if (raw === undefined) throw await refusal(findings);
    const paths = readPathsOf(raw);
    const present = findPresentFiles(base.builds, paths);
    findings.push(...present.findings);
    if (findings.some(({ severity }) => severity === 'error')) throw await refusal(findings);

    const addition = await planAddition(dump, present.value, paths, taking);
    if (addition.leftOut.length === dump.files.length) throw nothingToRead(dump, wanted);
    const target = path.posix.join(wanted.game, wanted.build, taking.into);
    await write({ ...base, dump, addition, target }, wanted, staging);
    return { ...base, dump, addition, target };
  });
}

async function write(
  { existing, released_at, dump, addition, target }: AddedBuild,
  wanted: Wanted,
  staging: string,
) {
  const files = [...addition.added, ...addition.changed];
  const whole = path.join(staging, 'build');
  if (existing) {
    await copyFiles(dump.folder, files, whole);
    // First what is gone: should the next step fail, adding once more completes it.
    const stored = new Set(files.map((file) => path.posix.join(wanted.into, file.path)));
    const removed = [...new Set([...existing.removed, ...addition.removed])].filter(
      (file) => !stored.has(file),
    );
    if (removed.length !== existing.removed.length || addition.removed.length > 0)
      await editBuildFile(
        path.posix.join(existing.folder, 'build.json'),
        'removed',
        removed.length > 0 ? removed.sort(compareNatural) : undefined,
      );
    if (files.length === 0) return;
    await mkdir(path.dirname(target), { recursive: true });
    await rename(whole, target);
    return;
  }
  await copyFiles(dump.folder, files, path.join(whole, wanted.into));
  await writeJson(path.join(whole, 'build.json'), {
    released_at,
    ...(wanted.note !== undefined && { note: wanted.note }),
    ...(addition.removed.length > 0 && { removed: addition.removed }),
  });
  await rename(whole, path.join(wanted.game, wanted.build));
}

async function refusal(findings: Finding[]): Promise<CommandError> {
  const errors = (await locateFindings(findings)).filter(({ severity }) => severity === 'error');
  return new CommandError(
    `${countOf(errors.length, 'error')} to mend first; nothing was added\n\n${renderFindings(errors)}`,
  );
}

function nothingToRead({ folder, files }: Dump, { game, into }: Wanted): CommandError {
  const first = files[0] && path.posix.join(into, files[0].path);
  return new CommandError(
    first === undefined
      ? `no file in ${folder}; nothing was added`
      : `none of the ${countOf(files.length, 'file')} in ${folder} (as ${first}) is in a table of ${game}/game.json: declare them there, or say by --into which sub-folder they replace; nothing was added`,
  );
}
