import type { Change } from '../../scripts/diff/compare.ts';
import type { TimelineEntry } from '../../scripts/diff/history.ts';
import { type BuildEntry, parseRecord } from '../../scripts/format/dist-format.ts';
import type { JsonObject } from '../../scripts/format/json.ts';
import { CHARACTERS, type GameBuild, idsOverTime } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Archive } from '../data/archive.ts';
import { findCurrentId, suggestId } from './record-body.ts';
import { findGame, type Route } from './route.ts';

export const timelineRoute: Route = {
  path: '/api/:game/history/:id',
  operationId: 'getTimeline',
  summary: 'What each build changed in a character',
  description:
    'The builds that added, changed or removed a character, oldest first, with every value before and after. The entry of a build that added it has ' +
    'its `record` at that time. `path` is a JSON Pointer into ' +
    'the full record; `from` or `to` is absent where there was nothing. Corrections of builds after their release are entries of the kind `amended`. Attributes that all characters gained or lost are in the history only. A character that was removed keeps its timeline; `name` is the newest.',
  needsKey: true,
  isPro: true,
  parameters: [],
  result: 'Timeline',
  problems: ['unknown-game', 'unknown-character'],
  async handle(request, { archive }) {
    const game = findGame(request);
    const { slug, build, builds, historyTag } = game;
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const timeline = await collectTimeline(builds, id, archive);
    const newest = timeline.at(-1);
    if (newest === undefined) throw await unknownInHistory(game, id, archive);
    return {
      tag: historyTag,
      build,
      location: location && `/api/${slug}/history/${location}`,
      body() {
        const entries = timeline.map(({ name: _, ...entry }) => entry);
        return {
          json: Buffer.from(JSON.stringify({ game: slug, id, name: newest.name, timeline: entries })),
        };
      },
    };
  },
};

/** The id under which a character has its history: its current id, if it was renumbered. `location` is that id in an address. */
export function findHistoricId(game: GameBuild, id: string): { id: string; location?: string } {
  if (game.roster.rowOfId?.has(id)) return { id };
  const current = findCurrentId(game, CHARACTERS, id);
  return current ? { id: current.id, location: encodeURIComponent(current.id) } : { id };
}

/** The error about an id that no build of a game has had. */
export async function unknownInHistory(
  { slug, builds, roster }: GameBuild,
  id: string,
  archive: Archive,
): Promise<HttpProblem> {
  const near = suggestId(id, roster) || suggest(id, await collectIds(builds, archive));
  const detail = `${slug} never had a character with the id ${quote(id)}${near}`;
  return new HttpProblem('unknown-character', detail);
}

/** An entry of a timeline, with the name that the character has then. */
interface Entry {
  name: string;
  build: string;
  released_at: string;
  kind: TimelineEntry['kind'] | 'amended';
  changes: Change[];
  /** The full record at that time; only if the build added the character. */
  record?: JsonObject;
  /** When and why the build was corrected; only for the kind `amended`. */
  at?: string;
  reason?: string;
}

async function collectTimeline(
  builds: readonly BuildEntry[],
  id: string,
  archive: Archive,
): Promise<Entry[]> {
  const timeline: Entry[] = [];
  const ids = idsOverTime(builds, id);
  for (const [at, build] of builds.entries()) {
    const now = ids[at];
    if (now === undefined) continue;
    const line = (await archive.timeline(build)).get(now);
    const entry = line && (await readEntry(build, line, archive));
    const before = ids[at - 1];
    const isRenumbered = at > 0 && before !== undefined && before !== now;
    if (isRenumbered) timeline.push(await renumbered(build, before, now, entry, archive));
    else if (entry) timeline.push(entry);
    timeline.push(...(await collectAmendments(build, now, archive)));
  }
  return timeline;
}

/** The entry of a build that renumbered a character, with what else it changed. */
async function renumbered(
  entry: BuildEntry,
  from: string,
  to: string,
  changed: Entry | undefined,
  archive: Archive,
): Promise<Entry> {
  const { build, released_at } = entry;
  const json = changed ? undefined : await archive.record(entry, to);
  const { name } = changed ?? (JSON.parse(json?.toString() ?? '{"name":""}') as { name: string });
  const changes: Change[] = [{ path: '/id', from, to }, ...(changed?.changes ?? [])];
  return { name, build, released_at, kind: 'changed', changes };
}

async function readEntry(entry: BuildEntry, line: Buffer, archive: Archive): Promise<Entry> {
  const { id, name, kind, changes }: TimelineEntry = JSON.parse(line.toString());
  const { build, released_at } = entry;
  const json = kind === 'added' ? await archive.record(entry, id) : undefined;
  const record = json && { record: parseRecord(json) };
  return { name, build, released_at, kind, changes, ...record };
}

/** The corrections of a build after its release that changed a character. */
async function collectAmendments(
  { build, released_at, amended, amendments = [] }: BuildEntry,
  id: string,
  archive: Archive,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const [index, ref] of amendments.entries()) {
    const all = ref && (await archive.amendment(ref));
    const changed = all?.characters.changed.find((each) => each.id === id);
    if (changed === undefined) continue;
    const { name, changes } = changed;
    entries.push({ name, build, released_at, kind: 'amended', changes, ...amended[index] });
  }
  return entries;
}

async function collectIds(builds: readonly BuildEntry[], archive: Archive): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const build of builds) for (const id of (await archive.timeline(build)).keys()) ids.add(id);
  return ids;
}
