import { isObject } from '../../scripts/format/dist-format.ts';
import { diffRoute } from '../api/diff.ts';
import { historyRoute } from '../api/history.ts';
import { timelineRoute } from '../api/timeline.ts';
import { seriesRoute } from '../series/series.ts';
import { restrictDiff, summarizeBuild } from './patch-summary.ts';
import { pageOf, type Tool, textOf } from './tool.ts';
import { ARGUMENTS, inputSchema, pageArguments } from './tool-schemas.ts';

const BUILDS = 5;
const CHANGES = 20;
const POINTS = 100;
const { game: GAME, id: ID, fields: FIELDS, only: ONLY } = ARGUMENTS;
const build = (what: string) => ({ type: 'string', description: `${what} build: its name, or \`latest\`.` });

const patchHistory: Tool = {
  name: 'patch_history',
  title: 'What patches changed',
  description:
    'What is new in a game: what each build (patch, update) changed for players, newest first: new characters, changed characters, datasets. With `id`: when one character was released, buffed or nerfed, oldest first, value by value.',
  isPro: true,
  input: inputSchema(
    {
      game: GAME,
      id: { ...ID, description: 'A character; without it, the builds of the game.' },
      only: ONLY,
      ...pageArguments(BUILDS, 50, 'builds'),
    },
    ['game'],
  ),
  ask({ game, id, offset, limit = BUILDS }) {
    const params = { game: textOf(game) };
    return id === undefined
      ? { route: historyRoute, params, query: { limit, offset } }
      : { route: timelineRoute, params: { ...params, id: textOf(id) } };
  },
  // The pages of a history are the route's own.
  page: ({ id, offset, limit }) =>
    id === undefined ? pageOf({}, ['builds'], 1000) : pageOf({ offset, limit }, ['timeline'], BUILDS),
  trim(result, { only }) {
    const { builds, timeline } = result;
    if (Array.isArray(builds))
      result.builds = builds.filter(isObject).map((each) => summarizeBuild(each, only));
    // The record of a new character is what get_character returns.
    if (Array.isArray(timeline)) for (const entry of timeline) if (isObject(entry)) delete entry.record;
  },
};

const diffBuilds: Tool = {
  name: 'diff_builds',
  title: 'Compare two builds',
  description:
    'The exact differences between any two builds (patches) of a game: what was added, removed and changed between them, with each value before and after.',
  isPro: true,
  input: inputSchema(
    {
      game: GAME,
      from: build('The earlier'),
      to: build('The later'),
      only: ONLY,
      collection: { ...ARGUMENTS.collection, description: 'Whose changed records the pages are of.' },
      ...pageArguments(CHANGES, 200, 'changed records'),
    },
    ['game', 'from', 'to'],
  ),
  ask: ({ game, from, to }) => ({ route: diffRoute, params: { game: textOf(game) }, query: { from, to } }),
  page({ collection = 'characters', ...given }) {
    const key = textOf(collection);
    const list = key === 'characters' ? ['characters', 'changed'] : ['datasets', key, 'changed'];
    return pageOf(given, list, CHANGES);
  },
  trim: (result, { only, collection = 'characters' }) => restrictDiff(result, only, textOf(collection)),
};

const statSeries: Tool = {
  name: 'stat_series',
  title: 'Attributes over builds',
  description:
    'How attributes of one character developed over time: their value in each build, oldest first, such as its attack over all patches.',
  isPro: true,
  input: inputSchema({ game: GAME, id: ID, fields: FIELDS, ...pageArguments(POINTS, 500, 'builds') }, [
    'game',
    'id',
    'fields',
  ]),
  ask: ({ game, id, fields }) => ({
    route: seriesRoute,
    params: { game: textOf(game), id: textOf(id) },
    query: { fields },
  }),
  page: (given) => pageOf(given, ['series'], POINTS),
};

/** The tools for Pro keys. */
export const PRO_TOOLS: readonly Tool[] = [patchHistory, diffBuilds, statSeries];
