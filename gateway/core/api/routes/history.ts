import type { BuildEntry } from '../../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import type { Archive } from '../../past-builds/archive.ts';
import { MAX_RECORDS, parsePage } from '../../query/list-query.ts';
import type { Body } from '../../wire/respond.ts';
import { pageLinks } from './page-links.ts';
import { type ApiRequest, findGame, type Route } from './route.ts';

const DEFAULT_LIMIT = 100;
const COMMA = Buffer.from(',');
const ITEM_END = Buffer.from('}');
const END = Buffer.from(']}');

export const historyRoute: Route = {
  path: '/api/:game/history',
  operationId: 'listBuilds',
  summary: 'What each build changed',
  description:
    'The released builds of a game, newest first, in pages. Each lists the characters that it added, removed and changed, by name and ' +
    'attribute, and the same for datasets by id. What the whole list gained or lost because the data changed, and not the game, is in ' +
    '`attributes`. Each build also lists its corrections after the release, with their reasons and what they changed, value by value; the times of regions where the release differs, if they are known; and the size and SHA-256 of its snapshot as plain JSON.',
  needsKey: true,
  isPro: true,
  parameters: [
    {
      name: 'limit',
      description: `The size of a page, 0 to ${MAX_RECORDS}.`,
      schema: { type: 'integer', minimum: 0, maximum: MAX_RECORDS, default: DEFAULT_LIMIT },
    },
    {
      name: 'offset',
      description: 'How many builds to skip before the page.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
  ],
  result: 'History',
  problems: ['unknown-game'],
  handle(request, { archive }) {
    const game = findGame(request);
    const page = parsePage(request.query, DEFAULT_LIMIT);
    return {
      tag: game.historyTag,
      build: game.build,
      body: () => historyBody(request, game, page, archive),
    };
  },
};

async function historyBody(
  request: ApiRequest,
  { slug, builds, withdrawn }: GameBuild,
  { limit, offset }: { limit: number; offset: number },
  archive: Archive,
): Promise<Body> {
  const total = builds.length;
  const count = Math.max(0, Math.min(limit, total - offset));
  const head = JSON.stringify({ game: slug, total, count }).slice(0, -1);
  const parts: Buffer[] = [Buffer.from(`${head},"builds":[`)];
  for (let index = 0; index < count; index++) {
    const at = total - 1 - offset - index;
    const entry = builds[at] as BuildEntry;
    if (index > 0) parts.push(COMMA);
    parts.push(await describeBuild(entry, builds[at - 1], archive), await archive.history(entry), ITEM_END);
  }
  parts.push(withdrawn.length === 0 ? END : Buffer.from(`],"withdrawn":${JSON.stringify(withdrawn)}}`));
  return { json: Buffer.concat(parts), links: pageLinks(request, total, count, offset, limit) };
}

/** Returns the members of an item that come from the manifest, with a comma after them. */
async function describeBuild(
  entry: BuildEntry,
  previous: BuildEntry | undefined,
  archive: Archive,
): Promise<Buffer> {
  const { build, released_at, released_in, note, snapshot } = entry;
  const { bytes, sha256 } = snapshot;
  const head = {
    build,
    released_at,
    ...(released_in && { released_in }),
    previous: previous?.build ?? null,
    note,
    amended: await describeAmendments(entry, archive),
    snapshot: { bytes, sha256 },
  };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},`);
}

/** The corrections of a build, each with what it changed if that is known. */
async function describeAmendments({ amended, amendments }: BuildEntry, archive: Archive): Promise<object[]> {
  if (amendments === undefined) return amended;
  return await Promise.all(
    amended.map(async ({ at, reason }, index) => {
      const ref = amendments[index];
      return { at, reason, ...(ref && { changes: await archive.amendment(ref) }) };
    }),
  );
}
