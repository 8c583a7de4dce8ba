import { isObject } from '../../../scripts/core/format/dist-format.ts';
import { diffRoute } from '../../core/api/routes/diff.ts';
import { historyRoute } from '../../core/api/routes/history.ts';
import { seriesRoute } from '../../shared/series/series.ts';
import { timelineRoute } from '../../core/api/routes/timeline.ts';
import { pageOf, type Tool, textOf } from './tool.ts';
import { argumentOf, GAME, inputSchema, pageArguments } from './tool-schemas.ts';

const BUILDS = 5;
const CHANGES = 20;
const POINTS = 100;

const patchHistory: Tool = {
  name: 'patch_history',
  title: 'What builds changed',
  description:
    'What each build of a game changed, newest first; with `id`, what happened to one character, oldest first, value by value.',
  isPro: true,
  input: inputSchema(
    {
      ...GAME,
      id: {
        type: 'string',
        description: 'The id of a character; without it, the builds of the game are listed.',
      },
      ...pageArguments(BUILDS, 50, 'builds'),
    },
    ['game'],
  ),
  output: ['History', 'Timeline'],
  ask({ game, id, offset, limit = BUILDS }) {
    const params = { game: textOf(game) };
    return id === undefined
      ? { route: historyRoute, params, query: { limit, offset } }
      : { route: timelineRoute, params: { ...params, id: textOf(id) } };
  },
  // The pages of a history are the route's own.
  page: ({ id, offset, limit }) =>
    id === undefined ? pageOf({}, ['builds'], 1000) : pageOf({ offset, limit }, ['timeline'], BUILDS),
  trim({ timeline }) {
    // The record of a new character is what get_character returns.
    if (Array.isArray(timeline)) for (const entry of timeline) if (isObject(entry)) delete entry.record;
  },
};

const diffBuilds: Tool = {
  name: 'diff_builds',
  title: 'Compare two builds',
  description:
    'The differences between two builds of a game: characters and records of datasets that were added, removed and changed, with each value before and after. The pages are those of the changed records of one collection.',
  isPro: true,
  input: inputSchema(
    {
      ...GAME,
      from: argumentOf(diffRoute, 'from'),
      to: argumentOf(diffRoute, 'to'),
      collection: {
        type: 'string',
        default: 'characters',
        description:
          'Whose changed records `offset` and `limit` choose: `characters`, or the key of a dataset.',
      },
      ...pageArguments(CHANGES, 200, 'changed records'),
    },
    ['game', 'from', 'to'],
  ),
  output: ['Diff'],
  ask: ({ game, from, to }) => ({ route: diffRoute, params: { game: textOf(game) }, query: { from, to } }),
  page({ collection = 'characters', ...given }) {
    const key = textOf(collection);
    const list = key === 'characters' ? ['characters', 'changed'] : ['datasets', key, 'changed'];
    return pageOf(given, list, CHANGES);
  },
};

const statSeries: Tool = {
  name: 'stat_series',
  title: 'Attributes over builds',
  description: seriesRoute.description,
  isPro: true,
  input: inputSchema(
    {
      ...GAME,
      id: { type: 'string', description: 'The id of the character; search finds it by name.' },
      fields: argumentOf(seriesRoute, 'fields'),
      ...pageArguments(POINTS, 500, 'builds'),
    },
    ['game', 'id', 'fields'],
  ),
  output: ['Series'],
  ask: ({ game, id, fields }) => ({
    route: seriesRoute,
    params: { game: textOf(game), id: textOf(id) },
    query: { fields },
  }),
  page: (given) => pageOf(given, ['series'], POINTS),
};

/** The tools for Pro keys. */
export const PRO_TOOLS: readonly Tool[] = [patchHistory, diffBuilds, statSeries];
