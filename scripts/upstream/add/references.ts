import { hash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import path from 'node:path';
import { checkGit } from '../../check/git.ts';
import { errorAt, type Finding } from '../../findings.ts';
import { removeCopy } from '../../read/files.ts';
import { type Reference, readBuilds, readGameFile, type UpstreamOptions } from '../../read/game.ts';
import { CommandError, makeFolder, orCommandError } from '../../system.ts';
import { groupBy } from '../../text.ts';
import { connectTo } from '../pull/fetch.ts';
import { type RepositoryCopy, withCopy } from '../pull/git-upstream.ts';
import { putInPlace, readOrRefuse, replaceFolder, setReferences, withStaging } from './add-build.ts';
import { hashFile } from './files.ts';

/**
 * Downloads the files that builds of a game reference and that the cache lacks. Faults in the definitions are left to the reader of the game.
 *
 * @returns why they cannot be downloaded
 */
export async function provideReferences(folder: string, options: UpstreamOptions): Promise<Finding[]> {
  const raw = await readGameFile(folder, []);
  const builds = raw ? await readBuilds(folder, raw, [], options.cache) : [];
  try {
    const all = builds.flatMap(({ references }) => references);
    const work = fetchReferences(all, options);
    await orCommandError(work, (reason) => `${options.cache} cannot be written: ${reason}`);
    return [];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const first = builds.find(({ references }) => references.length > 0)?.folder ?? '';
    return [
      errorAt(
        'upstream-file',
        { file: path.posix.join(first, 'build.json'), pointer: '/from' },
        `files that builds name by reference and that cannot be fetched: ${error.message}`,
        'the files in the cache, or in a repository that can be reached',
        'run it again when the repository can be reached; if it is gone, add the dumps again (gamedata add --replace)',
      ),
    ];
  }
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
    const connection = await connectTo(git, options.allowLocal, '"from" of build.json');
    await checkGit();
    const store = async (mirror: RepositoryCopy) => {
      // Another process may have downloaded some.
      const missing = findMissing();
      const commits = missing.map(({ commit }) => commit);
      await mirror.fetchObjects(commits, ['--depth=1']);
      await storeFiles(mirror, missing);
    };
    await withCopy(options.cache, connection, store, 'commits');
  }
}

async function storeFiles(mirror: RepositoryCopy, missing: readonly Reference[]): Promise<void> {
  const refuse = ({ path: file, commit, git, sha256 }: Reference, why: string) =>
    new CommandError(
      `${file} in commit ${commit} of ${git} is not the file that "from" in build.json names: ${why}; expected a file with SHA-256 ${sha256}`,
    );
  for (const ofCommit of groupBy(missing, ({ commit }) => commit)) {
    const files = new Map((await mirror.listFiles(ofCommit[0].commit)).map((file) => [file.path, file.blob]));
    const lost = ofCommit.find((reference) => !files.has(reference.path));
    if (lost) throw refuse(lost, 'the commit has no such file');
    const take = (blob: string, content: Buffer) => {
      const sha256 = hash('sha256', content);
      for (const reference of ofCommit.filter((each) => files.get(each.path) === blob)) {
        if (reference.sha256 !== sha256) throw refuse(reference, `its SHA-256 is ${sha256}`);
        putInPlace(reference.cached, content);
      }
    };
    await mirror.readBlobs([...new Set(ofCommit.flatMap((each) => files.get(each.path) ?? []))], take);
  }
}

/**
 * Copies the files that a build of a game references into its folder, and removes `from` from its build.json.
 *
 * @throws CommandError if a file cannot be downloaded or the definitions have errors; then the build stays as it is
 */
export async function vendorGame(folder: string, build: string, options: UpstreamOptions): Promise<void> {
  // A build that a killed run was replacing is restored before the builds are read.
  await withStaging(folder, async (staging) => {
    const { builds } = await readOrRefuse(folder, options.cache);
    const found = builds.find((each) => each.build === build);
    if (found === undefined || found.references.length === 0) return;
    await fetchReferences(found.references, options);
    const staged = path.join(staging, build);
    await cp(found.folder, staged, { recursive: true, verbatimSymlinks: true });
    for (const { file, cached, sha256 } of found.references) {
      if ((await hashFile(cached)) !== sha256)
        throw new CommandError(`${cached} has another content than build.json names: ${removeCopy(cached)}`);
      await makeFolder(path.dirname(path.join(staged, file)));
      await copyFile(cached, path.join(staged, file), constants.COPYFILE_EXCL);
    }
    await setReferences(staged, []);
    await replaceFolder(staged, found.folder, staging);
  });
}
