import { facetsResult, facetsRoute, findDataset } from '../api/dataset.ts';
import { findGame, type Route } from '../api/route.ts';
import { HttpProblem } from '../http/problem.ts';

export const datasetFacetsRoute: Route = {
  path: '/api/:game/:dataset/facets',
  operationId: 'listDatasetFacets',
  summary: 'The facets of a dataset',
  description:
    'As the facets of the roster, for the records of a dataset that is a list. `characters` has the facets of the roster.',
  needsKey: true,
  parameters: facetsRoute.parameters,
  result: 'Facets',
  problems: ['unknown-game', 'unknown-dataset'],
  handle(request) {
    const game = findGame(request);
    if (request.params.dataset === 'characters')
      return facetsResult(request, game, 'characters', game.tag, game.roster);
    const dataset = findDataset(request, game);
    if (dataset.kind === 'list') return facetsResult(request, game, dataset.key, dataset.tag, dataset.list);
    throw new HttpProblem(
      'unknown-dataset',
      `${dataset.key} of ${game.slug} is one object, which has no facets`,
    );
  },
};
