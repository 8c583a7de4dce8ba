import { recordCounts, splitAmendment } from '../../../../scripts/core/diff/model-changes.ts';
import type { BuildEntry } from '../../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { ParameterError, type RawQuery } from '../../lib/raw-query.ts';
import type { Archive } from '../../past-builds/archive.ts';
import { MAX_RECORDS, parsePage } from '../../query/list-query.ts';
import type { Body } from '../../wire/respond.ts';
import { pageLinks } from './list-body.ts';
import { type ApiRequest, findGame, type Route } from './route.ts';

const DEFAULT_LIMIT = 100;
const AMENDED = 'amended';
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
    '`attributes`. Each build also lists its corrections after the release, with their reasons and what they changed, value by value; what they changed in the model of the data, in many records at once, is in `model`, one line for each attribute; the times of regions where the release differs, if they are known; and the size and SHA-256 of its snapshot as plain JSON.',
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
    {
      name: AMENDED,
      description:
        'What `changes` of a correction has: `corrections` only what was wrong, so that a change of the model of the data is one line of `model` for each attribute; `values` every value.',
      schema: { type: 'string', enum: ['corrections', 'values'], default: 'corrections' },
    },
  ],
  result: 'History',
  problems: ['unknown-game'],
  handle(request, { archive }) {
    const game = findGame(request);
    const page = {
      ...parsePage(request.query, DEFAULT_LIMIT),
      hasValues: readAmended(request.query) === 'values',
    };
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
  { limit, offset, hasValues }: { limit: number; offset: number; hasValues: boolean },
  archive: Archive,
): Promise<Body<Buffer>> {
  const total = builds.length;
  const count = Math.max(0, Math.min(limit, total - offset));
  const head = JSON.stringify({ game: slug, total, count }).slice(0, -1);
  const parts: Buffer[] = [Buffer.from(`${head},"builds":[`)];
  const newestFirst = builds.toReversed().slice(offset);
  for (const [index, entry] of newestFirst.slice(0, count).entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(
      await describeBuild(entry, newestFirst[index + 1], archive, hasValues),
      await archive.history(entry),
      ITEM_END,
    );
  }
  parts.push(withdrawn.length === 0 ? END : Buffer.from(`],"withdrawn":${JSON.stringify(withdrawn)}}`));
  return { json: Buffer.concat(parts), links: pageLinks(request, total, count, offset, limit) };
}

/** Returns the members of an item that come from the manifest, with a comma after them. */
async function describeBuild(
  entry: BuildEntry,
  previous: BuildEntry | undefined,
  archive: Archive,
  hasValues: boolean,
): Promise<Buffer> {
  const { build, released_at, released_in, carried_from, note, snapshot } = entry;
  const { bytes, sha256 } = snapshot;
  const head = {
    build,
    released_at,
    ...(released_in && { released_in }),
    previous: previous?.build ?? null,
    ...(carried_from && { carried_from }),
    note,
    amended: await describeAmendments(entry, archive, hasValues),
    snapshot: { bytes, sha256 },
  };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},`);
}

/** The corrections of a build, each with what it changed if that is known. */
async function describeAmendments(
  entry: BuildEntry,
  archive: Archive,
  hasValues: boolean,
): Promise<object[]> {
  const { amended, amendments } = entry;
  if (amendments === undefined) return amended;
  return await Promise.all(
    amended.map(async ({ at, reason }, index) => {
      const ref = amendments[index];
      if (!ref) return { at, reason };
      const all = await archive.amendment(ref);
      const { corrections, model } = splitAmendment(all, recordCounts(entry));
      return { at, reason, changes: hasValues ? all : corrections, ...(model.length > 0 && { model }) };
    }),
  );
}

function readAmended(query: RawQuery): string {
  const pairs = query.filter(([name]) => name === AMENDED);
  const [value = 'corrections'] = pairs.map(([, each]) => each);
  if (pairs.length <= 1 && ['corrections', 'values'].includes(value)) return value;
  throw new ParameterError(AMENDED, `${AMENDED} has to be "corrections" or "values", once`);
}
