import { BUILD_NAME, type Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { parseJson } from '../../read/json.ts';
import type { RawReading, RawSource } from './source-definition.ts';
import { type TakeBlob, whole } from '../../check/git.ts';
import { captureBy, readInstant } from '../../read/schema.ts';
import type { NamedCommit } from './group-builds.ts';
import type { Commit, Mirror, Tag } from './mirror.ts';

/** The commits that name builds, oldest first, and what is wrong with those that name none although they match. */
export interface ReadCommits {
  commits: NamedCommit[];
  problems: string[];
}

/** A commit that may name a build; with a folder that it changes, one candidate for each. */
type Candidate = Commit & Partial<Tag> & { folder?: string };
/** Returns the text of a commit; undefined if it has none. */
type ReadText = (commit: Candidate) => string | undefined;

const validName = new RegExp(BUILD_NAME);
const SHORT_HASH = 10;
/** The end of the year 9999. */
const MAX_TIME_MS = Date.UTC(10_000);
/** A file that names builds is smaller: of each commit that changes it, it is read. */
const MAX_NAMING_BYTES = 16 * 1024 * 1024;

/**
 * Reads from the commits of a mirror, which were fetched, which builds they name.
 *
 * @param folders the folders and files that commits have to change; empty for any
 */
export async function readCommits(
  mirror: Mirror,
  { build, released_at }: RawSource,
  folders: readonly string[],
): Promise<ReadCommits> {
  const candidates = await listCandidates(mirror, build, [build, released_at], folders);
  const nameOf = build === 'date' ? dayOf : await readerOf(mirror, build, candidates);
  const named = withoutInner(
    candidates.flatMap((candidate) => {
      const name = nameOf(candidate);
      return name === undefined ? [] : { candidate, name };
    }),
  );
  const dateOf = released_at && (await readerOf(mirror, released_at, candidates));
  const read: ReadCommits = { commits: [], problems: [] };
  for (const { candidate, name } of named) {
    const { commit, at, subject, folder } = candidate;
    const date = dateOf && readDate(dateOf(candidate));
    const problem = isInCalendar(at)
      ? findProblem(name, dateOf !== undefined && date === undefined)
      : 'has a date that is in no calendar: it is left out';
    if (problem === undefined)
      read.commits.push({ commit, at, subject, build: name, released_at: date, folder });
    else read.problems.push(`commit ${commit.slice(0, SHORT_HASH)} ("${subject}") ${problem}`);
  }
  return read;
}

async function listCandidates(
  mirror: Mirror,
  build: RawSource['build'],
  readings: readonly (RawSource['build'] | undefined)[],
  folders: readonly string[],
): Promise<Candidate[]> {
  if (build !== 'date' && build.tag !== undefined) {
    return (await mirror.listTags()).sort((a, b) => a.at - b.at);
  }
  if (build !== 'date' && build.folder !== undefined) return listFolders(await mirror.listChanges());
  // A subject says by itself that a commit is a build. Otherwise only commits count that change something of it.
  if (build !== 'date' && build.subject !== undefined) return await mirror.listCommits();
  const files = readings.flatMap((reading) => (typeof reading === 'object' ? (reading.file ?? []) : []));
  return await mirror.listCommits(folders.length === 0 ? [] : [...folders, ...files]);
}

/** The folders that commits change, each with the commit. */
function listFolders(commits: readonly (Commit & { files: string[] })[]): Candidate[] {
  return commits.flatMap(({ files, ...commit }) => {
    const folders = new Set<string>();
    for (const file of files)
      for (let at = file.indexOf('/'); at > 0; at = file.indexOf('/', at + 1)) folders.add(file.slice(0, at));
    return [...folders].map((folder) => ({ ...commit, folder }));
  });
}

/** Leaves out folders inside a folder that is the same build: "previous/([^/_]+)_.+" matches those too. */
function withoutInner(named: { candidate: Candidate; name: string }[]): typeof named {
  const keyOf = ({ commit }: Candidate, name: string, folder: string) => `${commit} ${name} ${folder}`;
  const keys = new Set(named.map(({ candidate, name }) => keyOf(candidate, name, candidate.folder ?? '')));
  return named.filter(({ candidate, name }) => {
    const steps = candidate.folder?.split('/') ?? [];
    const outer = steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
    return !outer.some((folder) => keys.has(keyOf(candidate, name, folder)));
  });
}

function dayOf({ at }: Commit): string {
  return isInCalendar(at) ? new Date(at).toISOString().slice(0, 10) : '';
}

/** Git keeps any number as the date of a commit. */
function isInCalendar(at: number): boolean {
  return at >= 0 && at < MAX_TIME_MS;
}

async function readerOf(
  mirror: Mirror,
  { subject, tag, folder, file, at = '', pattern }: RawReading,
  candidates: readonly Candidate[],
): Promise<ReadText> {
  if (subject !== undefined) {
    const capture = captureBy(subject);
    return (commit) => capture(commit.subject);
  }
  if (tag !== undefined) {
    const capture = captureBy(tag);
    return (commit) => (commit.tag === undefined ? undefined : capture(commit.tag));
  }
  if (folder !== undefined) {
    const capture = captureBy(`^(?:${folder})$`);
    return (commit) => (commit.folder === undefined ? undefined : capture(commit.folder));
  }
  return file === undefined ? () => undefined : await readerOfFile(mirror, { file, at, pattern }, candidates);
}

async function readerOfFile(
  mirror: Mirror,
  { file, at, pattern }: { file: string; at: string; pattern: string | undefined },
  candidates: readonly Candidate[],
): Promise<ReadText> {
  const versions = await findVersions(mirror, file, candidates);
  const capture = pattern === undefined ? (text: string) => text : captureBy(pattern);
  const texts = new Map<string, string | undefined>();
  const take: TakeBlob = (blob, content) => {
    const text = readValue(content.toString('utf8'), file, at);
    texts.set(blob, text === undefined ? undefined : capture(text));
  };
  await mirror.readBlobs([...versions.values()], whole(take), MAX_NAMING_BYTES);
  return ({ commit }) => texts.get(versions.get(commit) ?? '');
}

/** The hash of a file's content in each of the commits that have it. */
async function findVersions(
  mirror: Mirror,
  file: string,
  candidates: readonly Candidate[],
): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  if (candidates[0]?.tag !== undefined) {
    for (const { commit } of candidates) {
      const [found] = await mirror.listFiles(commit, file);
      if (found) versions.set(commit, found.blob);
    }
    return versions;
  }
  const changes = await mirror.listVersions(file);
  let current: string | undefined;
  for (const { commit } of candidates) {
    if (changes.has(commit)) current = changes.get(commit);
    if (current !== undefined) versions.set(commit, current);
  }
  return versions;
}

/** The text or number at a JSON Pointer of a JSON text; undefined if there is none. */
export function readValue(text: string, file: string, at: string): string | undefined {
  const parsed = parseJson(text, file);
  if (!('value' in parsed)) return undefined;
  let value: Json | undefined = parsed.value;
  for (const step of pointerSteps(at)) value = stepInto(value, step);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function stepInto(value: Json | undefined, step: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === step)?.[1];
}

const SECONDS = /^\d{9,10}$/;

/** A date as ISO 8601 in UTC; undefined if it is none. */
export function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return readInstant(SECONDS.test(text) ? new Date(Number(text) * 1000).toISOString() : text);
}

/** Says what is wrong with the name or date of a build; undefined for nothing. */
export function findProblem(name: string, isUndated: boolean): string | undefined {
  if (!validName.test(name)) {
    return `names the build "${name}"; expected at most 64 letters, digits, ".", "_", "~" and "-": change "build" in "source"`;
  }
  return isUndated
    ? `has no date of build ${name}; expected an ISO 8601 date or seconds since 1970: change "released_at" in "source"`
    : undefined;
}
