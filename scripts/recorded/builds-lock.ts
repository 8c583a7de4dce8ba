import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { BUILD_NAME, type BuildEntry } from '../format/dist-format.ts';
import { isAbsent } from '../lib/regular-file.ts';
import { parseJson } from '../read/formats/json.ts';
import { readInside } from '../read/named-file.ts';
import { checkSchema, compileSchema } from '../schemas/schema.ts';

/** A published build: the time of its release, and the SHA-256 of each of its files. */
export interface RecordedBuild {
  released_at: string;
  roster: string;
  characters: string;
  datasets: Record<string, string>;
}

/** The recorded builds of a game, by name. */
export type RecordedBuilds = Record<string, RecordedBuild>;

/** A recorded build that differs from its record. */
export interface ChangedBuild {
  build: string;
  recorded: RecordedBuild;
  /** The names of its lists and datasets that differ, and `released_at` if that differs. */
  parts: string[];
  /** Whether the build does not exist any more. */
  missing: boolean;
}

const BUILDS_LOCK = 'builds.lock.json';

const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const validLock = compileSchema<{ builds: RecordedBuilds }>({
  type: 'object',
  required: ['builds'],
  additionalProperties: false,
  properties: {
    builds: {
      type: 'object',
      propertyNames: { pattern: BUILD_NAME },
      additionalProperties: {
        type: 'object',
        required: ['released_at', 'roster', 'characters', 'datasets'],
        additionalProperties: false,
        properties: {
          released_at: { type: 'string', format: 'instant' },
          roster: sha256,
          characters: sha256,
          datasets: { type: 'object', additionalProperties: sha256 },
        },
      },
    },
  },
});

/** The path of a game's builds.lock.json. */
export function lockFileOf(folder: string): string {
  return path.posix.join(folder, BUILDS_LOCK);
}

/**
 * Reads a game's builds.lock.json.
 *
 * @returns no recorded builds if the file does not exist; findings if it cannot be read
 */
export async function readBuildsLock(
  folder: string,
): Promise<{ value: RecordedBuilds } | { findings: Finding[] }> {
  const file = lockFileOf(folder);
  if (await isAbsent(file)) return { value: {} };
  const text = await readInside(folder, BUILDS_LOCK);
  return 'finding' in text
    ? { findings: [withAdvice(text.finding, file)] }
    : parseBuildsLock(text.value, file);
}

/** Parses the text of a builds.lock.json. @param file its path, for findings */
export function parseBuildsLock(
  text: string,
  file: string,
): { value: RecordedBuilds } | { findings: Finding[] } {
  const parsed = parseJson(text, file);
  if ('finding' in parsed) return { findings: [withAdvice(parsed.finding, file)] };
  if (validLock(parsed.value)) return { value: parsed.value.builds };
  const [fault, ...more] = checkSchema(validLock, parsed.value, 'builds-lock', { file, pointer: '' });
  // One cause: the file is broken.
  return {
    findings: fault ? [{ ...withAdvice(fault, file), ...(more.length > 0 && { more: more.length }) }] : [],
  };
}

/** Says what to do about a builds.lock.json that cannot be used. */
function withAdvice(finding: Finding, file: string): Finding {
  const fix = `restore it from version control (git checkout -- ${file}); after a merge conflict, take either side. If it is lost, delete it: gamedata build writes it again, and what dist/ publishes stays locked`;
  return { ...finding, fix };
}

/** The text of builds.lock.json. */
export function renderBuildsLock(builds: RecordedBuilds): string {
  return `${JSON.stringify({ builds }, null, 2)}\n`;
}

/** The record of a build. */
function recordOf({ released_at, roster, characters, datasets }: BuildEntry): RecordedBuild {
  return {
    released_at,
    roster: roster.sha256,
    characters: characters.sha256,
    datasets: Object.fromEntries(datasets.map(({ key, sha256 }) => [key, sha256])),
  };
}

/**
 * The released builds that differ from their records. A build counts as released by the time in its record, with which it was published.
 *
 * @param now ms since 1970
 */
export function findChangedBuilds(
  recorded: RecordedBuilds,
  entries: readonly BuildEntry[],
  now: number,
): ChangedBuild[] {
  return Object.entries(recorded).flatMap(([build, before]): ChangedBuild[] => {
    if (Date.parse(before.released_at) > now) return [];
    const entry = entries.find((candidate) => candidate.build === build);
    if (entry === undefined) return [{ build, recorded: before, parts: [], missing: true }];
    const parts = partsThatDiffer(before, recordOf(entry));
    return parts.length > 0 ? [{ build, recorded: before, parts, missing: false }] : [];
  });
}

function partsThatDiffer(before: RecordedBuild, after: RecordedBuild): string[] {
  const keys = [...new Set([...Object.keys(before.datasets), ...Object.keys(after.datasets)])].sort();
  return [
    ...(before.released_at === after.released_at ? [] : ['released_at']),
    ...(before.roster === after.roster ? [] : ['roster']),
    ...(before.characters === after.characters ? [] : ['characters']),
    ...keys.filter((key) => before.datasets[key] !== after.datasets[key]),
  ];
}

/** Whether a build is as it was recorded. */
export function isSame(recorded: RecordedBuild, entry: BuildEntry): boolean {
  return partsThatDiffer(recorded, recordOf(entry)).length === 0;
}

/** The records of all builds of a game. */
export function recordBuilds(entries: readonly BuildEntry[]): RecordedBuilds {
  return Object.fromEntries(entries.map((entry) => [entry.build, recordOf(entry)]));
}
