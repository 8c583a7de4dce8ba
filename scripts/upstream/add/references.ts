import { createHash } from 'node:crypto';
import { constants, existsSync, writeFileSync } from 'node:fs';
import { copyFile, cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import fastGlob from 'fast-glob';
import { checkGit } from '../../check/git.ts';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { CORRECTIONS_FILE } from '../../corrections/corrections.ts';
import type { Finding } from '../../findings.ts';
import { removeCopy } from '../../read/files.ts';
import {
  type FoundBuild,
  type Reference,
  readBuilds,
  readGameFile,
  type UpstreamOptions,
} from '../../read/game.ts';
import { CommandError, makeFolder, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { connectTo } from '../pull/fetch.ts';
import { type RepositoryCopy, withCopy } from '../pull/git-upstream.ts';
import { putInPlace, readOrRefuse, replaceFolder, setReferences, withStaging } from './add-build.ts';
import { hashFile } from './files.ts';

/** Selects builds: some by name, and the newest ones. */
interface SomeBuilds {
  names: readonly string[];
  newest: number;
}

/**
 * Downloads the files that builds of a game reference and that the cache lacks. Faults in the definitions are left to the reader of the game.
 *
 * @param only undefined for all builds; if the game has corrections, all are needed in any case
 * @returns why they cannot be downloaded
 */
export async function provideReferences(
  folder: string,
  options: UpstreamOptions,
  only?: SomeBuilds,
): Promise<Finding[]> {
  // The word is faster to find than the definitions are to read.
  const files = await fastGlob('*/build.json', { cwd: folder, followSymbolicLinks: false });
  const texts = files.map((file) => readFile(path.join(folder, file), 'utf8').catch(() => ''));
  if (!(await Promise.all(texts)).some((text) => text.includes('"from"'))) return [];
  const raw = await readGameFile(folder, []);
  const builds = raw ? await readBuilds(folder, raw, [], options.cache) : [];
  // Whether a correction still applies can depend on all earlier builds, which are then compiled.
  const isAll = existsSync(path.join(folder, CORRECTIONS_FILE));
  const missing = findNeeded(builds, isAll ? undefined : only).filter(({ cached }) => !existsSync(cached));
  if (missing.length === 0) return [];
  try {
    const work = fetchReferences(missing, options);
    await orCommandError(work, (reason) => `${options.cache} cannot be written: ${reason}`);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const first = builds.find(({ references }) => references.length > 0)?.folder ?? '';
    return [
      {
        check: 'upstream-file',
        severity: 'error',
        place: { file: path.posix.join(first, 'build.json'), pointer: '/from' },
        found: `files that builds name by reference and that cannot be fetched: ${error.message}`,
        expected: 'the files in the cache, or in a repository that can be reached',
        fix: 'run it again when the repository can be reached; if it is gone, run gamedata vendor where the cache still has the files, or add the dumps again (gamedata add --replace)',
      },
    ];
  }
}

/** Returns the references that some builds need: their own, and inherited ones. @param builds oldest first */
function findNeeded(builds: readonly FoundBuild[], only?: SomeBuilds): Reference[] {
  if (only === undefined) return builds.flatMap(({ references }) => references);
  const present = new Map<string, Reference>();
  const needed = new Set<Reference>();
  for (const [index, { build, references, removed }] of builds.entries()) {
    for (const file of removed) present.delete(file);
    for (const reference of references) present.set(reference.file, reference);
    const isWanted = index >= builds.length - only.newest || only.names.includes(build);
    if (isWanted) for (const reference of present.values()) needed.add(reference);
  }
  return [...needed];
}

/**
 * Downloads the files of references that the cache lacks.
 *
 * @throws CommandError if one cannot be downloaded, or its content does not match its reference
 */
async function fetchReferences(references: readonly Reference[], options: UpstreamOptions): Promise<void> {
  for (const git of new Set(references.map((reference) => reference.git))) {
    const findMissing = () => references.filter((each) => each.git === git && !existsSync(each.cached));
    if (findMissing().length === 0) continue;
    const connection = await connectTo(git, options.allowLocal, { place: '"from" of build.json' });
    await checkGit();
    await withCopy(
      options.cache,
      connection,
      async (mirror) => {
        // Another process may have downloaded some.
        const missing = findMissing();
        const commits = missing.map(({ commit }) => commit);
        await mirror.fetchObjects(commits, ['--depth=1']);
        await storeFiles(mirror, missing);
      },
      'commits',
    );
  }
}

async function storeFiles(mirror: RepositoryCopy, missing: readonly Reference[]): Promise<void> {
  const refuse = ({ path: file, commit, git, sha256 }: Reference, why: string) =>
    new CommandError(
      `${file} in commit ${commit} of ${git} is not the file that "from" in build.json names: ${why}; expected a file with SHA-256 ${sha256}`,
    );
  const blobs = new Map<string, Reference[]>();
  for (const commit of new Set(missing.map((reference) => reference.commit))) {
    const files = new Map((await mirror.listFiles(commit)).map((file) => [file.path, file.blob]));
    for (const reference of missing.filter((each) => each.commit === commit)) {
      const blob = files.get(reference.path);
      if (blob === undefined) throw refuse(reference, 'the commit has no such file');
      blobs.set(blob, [...(blobs.get(blob) ?? []), reference]);
    }
  }
  await mirror.readBlobs([...blobs.keys()], (blob, content) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    for (const reference of blobs.get(blob) ?? []) {
      if (reference.sha256 !== sha256) throw refuse(reference, `its SHA-256 is ${sha256}`);
      putInPlace(reference.cached, (temporary) => writeFileSync(temporary, content));
    }
  });
}

/**
 * Copies the files that builds of a game reference into the folders of the builds, and removes `from` from their build.json. Each build is replaced
 * as a whole, oldest first.
 *
 * @param only the build; undefined for all
 * @param report called with each build that had references, after it was replaced
 * @throws CommandError if a file cannot be downloaded or the definitions have errors; the reported builds stay replaced
 */
export async function vendorGame(
  folder: string,
  only: string | undefined,
  options: UpstreamOptions,
  report: (build: string, files: number) => void,
): Promise<void> {
  // A build that a killed run was replacing is restored before the builds are read.
  await withStaging(folder, async (staging) => {
    const { builds } = await readOrRefuse(folder, options.cache);
    for (const { build, folder: own, references } of builds) {
      if (references.length === 0 || (only ?? build) !== build) continue;
      await fetchReferences(references, options);
      const staged = path.join(staging, build);
      await cp(own, staged, { recursive: true, verbatimSymlinks: true });
      for (const { file, cached, sha256 } of references) {
        if ((await hashFile(cached)) !== sha256)
          throw new CommandError(
            `${cached} has another content than build.json names: ${removeCopy(cached)}`,
          );
        await makeFolder(path.dirname(path.join(staged, file)));
        await copyFile(cached, path.join(staged, file), constants.COPYFILE_EXCL);
      }
      await setReferences(staged, []);
      await replaceFolder(staged, own, staging);
      report(build, references.length);
    }
  });
}

/** `gamedata vendor`. */
export function vendorCommand(): Command {
  return addUpstreamOptions(new Command('vendor'))
    .description(
      'copy files into data/ that builds name by reference, so that they no longer depend on upstream',
    )
    .argument('[slug...]', 'the games (default: all)')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Fetches the files that are not in the cache, compares each with its SHA-256, copies them into the folders of their builds, and removes "from" from
the build.json. What the builds have stays the same, so nothing is compiled differently.

Exit code: 0 done, 1 a file cannot be fetched or has another content; what was copied before it stays. 2 wrong usage.`,
    )
    .action(async (slugs: string[], options: UpstreamChoice & { data: string }) => {
      for (const slug of await chooseGames(slugs, options.data)) {
        const folder = path.posix.join(options.data, slug);
        const report = (build: string, files: number) =>
          process.stdout.write(`${folder}/${build}: ${countOf(files, 'file')} copied\n`);
        await orCommandError(
          vendorGame(folder, undefined, upstreamOf(options), report),
          (reason) => `${folder}/ or ${options.upstream} cannot be written: ${reason}`,
        );
      }
    });
}
