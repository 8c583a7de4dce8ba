import { lazy } from '../../scripts/lib/lazy.ts';
import { LANG, type Route } from '../api/route.ts';
import { andThen } from '../http/work.ts';
import { MAX_SEARCH_LENGTH } from '../query/list-query.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from './limits.ts';

const search = lazy(() => import('./search.ts'));

export const searchRoute: Route = {
  path: '/api/search',
  operationId: 'search',
  summary: 'A search over all games',
  description:
    'Characters and records of datasets, of all games or of some, by their names and aliases in any language; ranked as `q` of a list ranks them. ' +
    '`matched` is the name that matched best, the attribute that it is in, and how it matched. Typing mistakes are only looked for if no name ' +
    'of these games has the words. A search of one Latin letter or digit finds whole names only.',
  needsKey: true,
  parameters: [
    {
      name: 'q',
      description: 'The words of a name, as in `q` of a list.',
      required: true,
      schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_LENGTH },
      example: 'raidn',
    },
    {
      name: 'games',
      description: 'Only these games, by slug and separated by commas.',
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: false,
    },
    {
      ...LANG,
      description:
        'The language of `name`, where a record has its name in it. A language in which none of these games has names is an error.',
    },
    {
      name: 'limit',
      description: `The size of a page, 0 to ${MAX_LIMIT}.`,
      schema: { type: 'integer', minimum: 0, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    },
    {
      name: 'offset',
      description: 'How many results to skip before the page.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
  ],
  result: 'SearchResults',
  problems: ['unknown-game'],
  handle: (request) => andThen(search(), ({ respond }) => respond(request)),
};
