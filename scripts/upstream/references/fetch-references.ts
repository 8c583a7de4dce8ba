import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from '../../system.ts';
import { putInPlace } from '../add/put-in-place.ts';
import { connectTo } from '../pull/address.ts';
import { checkGit, type TakeBlob, whole } from '../../check/git.ts';
import { BusyMirror, Mirror, SINGLE_COMMITS } from '../pull/mirror.ts';
import type { Reference, UpstreamOptions } from '../../read/game.ts';

/** So many commits are fetched together: what is fetched is kept, also if the next ones fail. */
const MAX_COMMITS = 10;
const BUSY_PAUSE_MS = 500;
/** Another process that fetches from the same repository is given so long. */
const MAX_BUSY_MS = 600_000;

/**
 * Fetches the files of references that the cache lacks.
 *
 * @throws CommandError if one cannot be fetched, or has another content than its reference says
 */
export async function fetchReferences(
  references: readonly Reference[],
  options: UpstreamOptions,
): Promise<void> {
  const end = performance.now() + MAX_BUSY_MS;
  for (const git of new Set(references.map((reference) => reference.git))) {
    const ofRepository = references.filter((reference) => reference.git === git);
    while (findMissing(ofRepository).length > 0) {
      const failure = await fetchFrom(git, findMissing(ofRepository), options).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) break;
      if (!(failure instanceof BusyMirror) || performance.now() > end) throw failure;
      await wait(BUSY_PAUSE_MS);
    }
  }
}

function findMissing(references: readonly Reference[]): Reference[] {
  return references.filter(({ cached }) => !existsSync(cached));
}

async function fetchFrom(
  git: string,
  missing: readonly Reference[],
  { cache, allowLocal }: UpstreamOptions,
): Promise<void> {
  const connection = await connectTo(git, allowLocal, { member: 'from' });
  await checkGit();
  const commits = [...new Set(missing.map(({ commit }) => commit))];
  const use = async (mirror: Mirror) => {
    for (let first = 0; first < commits.length; first += MAX_COMMITS) {
      const some = commits.slice(first, first + MAX_COMMITS);
      await mirror.fetchCommits(some);
      await storeFiles(
        mirror,
        missing.filter(({ commit }) => some.includes(commit)),
      );
    }
  };
  await Mirror.use(cache, connection, use, SINGLE_COMMITS);
}

async function storeFiles(mirror: Mirror, missing: readonly Reference[]): Promise<void> {
  const blobs = new Map<string, Reference[]>();
  for (const commit of new Set(missing.map((reference) => reference.commit))) {
    const files = new Map((await mirror.listFiles(commit)).map(({ path, blob }) => [path, blob]));
    for (const reference of missing.filter((each) => each.commit === commit)) {
      const blob = files.get(reference.path);
      if (blob === undefined) throw refuse(reference, 'the commit has no such file');
      blobs.set(blob, [...(blobs.get(blob) ?? []), reference]);
    }
  }
  const take: TakeBlob = (blob, content) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    for (const reference of blobs.get(blob) ?? []) {
      if (reference.sha256 !== sha256) throw refuse(reference, `its SHA-256 is ${sha256}`);
      putInPlace(reference.cached, (temporary) => writeFileSync(temporary, content));
    }
  };
  await mirror.readBlobs([...blobs.keys()], whole(take));
}

function refuse({ path, commit, git, sha256 }: Reference, why: string): CommandError {
  return new CommandError(
    `${path} in commit ${commit} of ${git} is not the file that "from" in build.json names: ${why}; expected a file with SHA-256 ${sha256}`,
  );
}
