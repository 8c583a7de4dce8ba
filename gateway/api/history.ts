import { recordCounts, splitAmendment } from '../../scripts/diff/diff-builds.ts';
import { countPages, MAX_MEMBERS, pageOf } from '../../scripts/diff/history.ts';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import { type Archive, NO_CHANGES } from '../data/archive.ts';
import type { DiffForm } from '../data/diff-worker.ts';
import type { GameBuild } from '../data/game-build.ts';
import { ParameterError, prefersType, type RawQuery, readOnce } from '../http/incoming.ts';
import { quote } from '../http/problem.ts';
import type { Body } from '../http/respond.ts';
import { MAX_RECORDS, parsePage } from '../query/list-query.ts';
import { findBuild } from './downloads.ts';
import { pageLinks } from './lists.ts';
import { type ApiRequest, findGame, type QueryParameter, type Route, valuesOf } from './route.ts';

const DEFAULT_LIMIT = 100;
const AMENDED = ['corrections', 'values'];
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
    '`attributes`. Each build also lists its corrections after the release, with their reasons and what they changed, value by value; what they changed in the model of the data, in many records at once, is in `model`, one line for each attribute; the times of regions where the release differs, if they are known; and the size and SHA-256 of its snapshot as plain JSON. ' +
    `A list of more than ${MAX_MEMBERS} members is divided into pages: the item has \`pages\`, and \`next\` with the address of the next one.`,
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
      name: 'build',
      description: 'Only this build; `latest` is the newest.',
      schema: { type: 'string', minLength: 1 },
    },
    {
      name: 'page',
      description: `With \`build\`: which page of its lists, of ${MAX_MEMBERS} members each. Its \`pages\` says how many there are.`,
      schema: { type: 'integer', minimum: 1, default: 1 },
    },
    {
      name: 'amended',
      description:
        'What `changes` of a correction has: `corrections` only what was wrong, so that a change of the model of the data is one line of `model` for each attribute; `values` every value.',
      schema: { type: 'string', enum: AMENDED, default: 'corrections' },
    },
  ],
  result: 'History',
  problems: ['unknown-game', 'unknown-build'],
  handle(request, { archive }) {
    const game = findGame(request);
    const asked = { ...readAsked(request, game), game, archive };
    return { tag: game.historyTag, build: game.build, body: () => historyBody(request, asked) };
  },
};

/** What a request asks for, and where it is: builds, oldest first, and which page of the lists of each. */
interface Asked extends ReturnType<typeof readAsked> {
  game: GameBuild;
  archive: Archive;
}

function readAsked({ query, view }: ApiRequest, game: GameBuild) {
  const read = (name: string) => readOnce(name, valuesOf(query, name));
  const [build, page = '1', amended = 'corrections'] = [read('build'), read('page'), read('amended')];
  if (!/^[1-9]\d{0,8}$/.test(page))
    throw new ParameterError('page', `page is ${quote(page)}, expected a whole number from 1`);
  if (page !== '1' && build === undefined)
    throw new ParameterError('page', `page ${page} is of one build, expected "build" beside it`);
  if (!AMENDED.includes(amended))
    throw new ParameterError('amended', `amended is ${quote(amended)}, expected ${AMENDED.join(' or ')}`);
  const builds = build === undefined ? game.builds : [findBuild(view, game, build)];
  return { ...parsePage(query, DEFAULT_LIMIT), builds, page: Number(page), hasValues: amended === 'values' };
}

async function historyBody(request: ApiRequest, asked: Asked): Promise<Body> {
  const { game, builds, limit, offset, archive, page } = asked;
  const { slug, withdrawn } = game;
  const total = builds.length;
  const shown = builds.toReversed().slice(offset, offset + limit);
  const head = JSON.stringify({ game: slug, total, count: shown.length }).slice(0, -1);
  const parts: Buffer[] = [Buffer.from(`${head},"builds":[`)];
  for (const [index, entry] of shown.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(await describeBuild(entry, asked), await archive.history(entry, page), ITEM_END);
  }
  parts.push(withdrawn.length === 0 ? END : Buffer.from(`],"withdrawn":${JSON.stringify(withdrawn)}}`));
  return { json: Buffer.concat(parts), links: pageLinks(request, total, shown.length, offset, limit) };
}

/** Returns the members of an item that come from the manifest and from amendments, with a comma after them. */
async function describeBuild(entry: BuildEntry, asked: Asked): Promise<Buffer> {
  const { game, page, hasValues } = asked;
  const { build, released_at, released_in, carried_from, note, snapshot, history_pages = [] } = entry;
  const amended = await describeAmendments(entry, asked);
  const pages = Math.max(1 + history_pages.length, ...amended.map((each) => each.pages));
  const next = `/api/${game.slug}/history?build=${build}&page=${page + 1}${hasValues ? '&amended=values' : ''}`;
  const head = {
    build,
    released_at,
    released_in,
    previous: game.builds[game.builds.indexOf(entry) - 1]?.build ?? null,
    carried_from,
    note,
    amended: amended.map(({ pages: _, ...each }) => each),
    snapshot: { bytes: snapshot.bytes, sha256: snapshot.sha256 },
    ...(pages > 1 && { pages }),
    ...(page < pages && { next }),
  };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},`);
}

/** Returns the corrections of a build, each with a page of what it changed, if that is known, and how many pages there are of it. */
async function describeAmendments(entry: BuildEntry, { page, hasValues, archive }: Asked) {
  const { amended, amendments = [] } = entry;
  return await Promise.all(
    amended.map(async ({ at, reason }, index) => {
      const ref = amendments[index];
      if (!ref) return { at, reason, pages: 1 };
      const all = await archive.amendment(ref);
      const { corrections, model } = splitAmendment(all, recordCounts(entry));
      const changes = hasValues ? all : corrections;
      const shown = { at, reason, changes: pageOf(changes, page), pages: countPages(changes) };
      return { ...shown, ...(model.length > 0 && { model }) };
    }),
  );
}

const JSON_PATCH = 'application/json-patch+json';

function buildParameter(name: string, description: string): QueryParameter {
  return { name, description, required: true, schema: { type: 'string', minLength: 1 } };
}

export const diffRoute: Route = {
  path: '/api/:game/diff',
  operationId: 'compareBuilds',
  summary: 'The differences between two builds',
  description:
    'Any two builds of a game, in either direction: which characters and records of datasets were added, removed and changed, with every ' +
    'value before and after. Attributes that a whole list gained or lost are listed once, in `attributes`. With `Accept: application/json-patch+json` a JSON Patch (RFC 6902) which, applied to the snapshot of `from`, ' +
    'gives a document equal to the snapshot of `to`.',
  needsKey: true,
  isPro: true,
  parameters: [
    buildParameter('from', 'The build to start from; `latest` is the newest.'),
    buildParameter('to', 'The build to end at; it may be the older one. `latest` is the newest.'),
  ],
  result: 'Diff',
  alternatives: { [JSON_PATCH]: 'Patch' },
  problems: ['unknown-game', 'unknown-build'],
  handle(request, { archive }) {
    const game = findGame(request);
    const [first, last] = [readBuild(request.query, 'from'), readBuild(request.query, 'to')];
    const from = findBuild(request.view, game, first);
    const to = findBuild(request.view, game, last);
    const form: DiffForm = prefersType(request.accept, JSON_PATCH) ? 'patch' : 'diff';
    return {
      tag: `${from.snapshot.sha256} ${to.snapshot.sha256}`,
      build: to.build,
      vary: 'Accept',
      ...(form === 'patch' && { type: JSON_PATCH }),
      async body() {
        if (from === to) return { json: nothing(game.slug, to.build, form) };
        return { json: await archive.diff(game, from, to, form, request.account) };
      },
    };
  },
};

function readBuild(query: RawQuery, parameter: 'from' | 'to'): string {
  const build = readOnce(parameter, valuesOf(query, parameter));
  if (build !== undefined) return build;
  throw new ParameterError(parameter, `${parameter} is missing, expected one build`);
}

function nothing(game: string, build: string, form: DiffForm): Buffer {
  const head = JSON.stringify({ game, from: build, to: build }).slice(0, -1);
  return Buffer.from(form === 'patch' ? '[]' : `${head},${NO_CHANGES}}`);
}
