import type { TimelineEntry } from '../../../scripts/diff/timeline.ts';
import type { BuildEntry, JsonObject } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { quote, suggest } from '../../lib/suggest.ts';
import type { Archive } from '../../past-builds/archive.ts';
import { findGame, type Route } from './route.ts';

export const timelineRoute: Route = {
  path: '/api/:game/history/:id',
  operationId: 'getTimeline',
  summary: 'What each build changed in a character',
  description:
    'The builds that added, changed or removed a character, oldest first, with every value before and after. The entry of a build that added it has ' +
    'its `record` at that time. `path` is a JSON Pointer into ' +
    'the full record; `from` or `to` is absent where there was nothing. Attributes that all characters gained or lost are in the history only. A character that was removed keeps its timeline; `name` is the newest.',
  needsKey: true,
  isPro: true,
  parameters: [],
  result: 'Timeline',
  problems: ['unknown-game', 'unknown-character'],
  async handle(request, { archive }) {
    const game = findGame(request);
    const { slug, build, builds, historyTag } = game;
    const id = request.params.id ?? '';
    const timeline = await collectTimeline(builds, id, archive);
    const newest = timeline.at(-1);
    if (newest === undefined) throw await unknownInHistory(game, id, archive);
    return {
      tag: historyTag,
      build,
      body() {
        const name = newest.entry.name;
        const entries = timeline.map(({ build, released_at, entry: { kind, changes }, record }) => {
          return { build, released_at, kind, changes, ...(record && { record }) };
        });
        return { json: Buffer.from(JSON.stringify({ game: slug, id, name, timeline: entries })) };
      },
    };
  },
};

/** The error about an id that no build of a game has had. */
export async function unknownInHistory(
  { slug, builds }: GameBuild,
  id: string,
  archive: Archive,
): Promise<HttpProblem> {
  const near = suggest(id, await collectIds(builds, archive));
  return new HttpProblem(
    'unknown-character',
    `${slug} never had a character with the id ${quote(id)}${near}`,
  );
}

interface Touched {
  build: string;
  released_at: string;
  entry: TimelineEntry;
  /** The full record at that time; only if the build added the character. */
  record: JsonObject | undefined;
}

async function collectTimeline(
  builds: readonly BuildEntry[],
  id: string,
  archive: Archive,
): Promise<Touched[]> {
  const timeline: Touched[] = [];
  for (const build of builds) {
    const line = (await archive.timeline(build)).get(id);
    if (line === undefined) continue;
    const entry = JSON.parse(line.toString()) as TimelineEntry;
    const added = entry.kind === 'added' ? await archive.record(build, id) : undefined;
    const record = added && (JSON.parse(added.toString()) as JsonObject);
    timeline.push({ build: build.build, released_at: build.released_at, entry, record });
  }
  return timeline;
}

async function collectIds(builds: readonly BuildEntry[], archive: Archive): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const build of builds) for (const id of (await archive.timeline(build)).keys()) ids.add(id);
  return ids;
}
