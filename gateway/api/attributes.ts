import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import { attributesOfDataset, attributesOfRoster } from '../data/dictionary.ts';
import type { GameBuild } from '../data/game-build.ts';
import type { Result } from '../http/respond.ts';
import { findDataset } from './lists.ts';
import { findGame, type Route } from './route.ts';

export const attributesRoute: Route = {
  path: '/api/:game/attributes',
  operationId: 'listAttributes',
  summary: 'What the attributes of the characters mean',
  description:
    'The attribute dictionary of the roster: for each attribute of the full records, also inside lists, its name, its meaning, unit and level, its type, and the values that the ' +
    'build has. Members that do not apply are absent.',
  needsKey: true,
  parameters: [],
  result: 'Attributes',
  problems: ['unknown-game'],
  handle(request) {
    const game = findGame(request);
    return rosterAttributes(game);
  },
};

export const datasetAttributesRoute: Route = {
  path: '/api/:game/:dataset/attributes',
  operationId: 'listDatasetAttributes',
  summary: 'What the attributes of a dataset mean',
  description: 'As for the characters, for a dataset: a list of records, or one object.',
  needsKey: true,
  parameters: [],
  result: 'Attributes',
  problems: ['unknown-game', 'unknown-dataset'],
  handle(request) {
    const game = findGame(request);
    if (request.params.dataset === 'characters') return rosterAttributes(game);
    const dataset = findDataset(request, game);
    return attributesResult(game, dataset.key, dataset.tag, attributesOfDataset(game, dataset));
  },
};

function rosterAttributes(game: GameBuild): Result {
  return attributesResult(game, 'characters', game.tag, attributesOfRoster(game));
}

function attributesResult(
  { build, opening, dictionary }: GameBuild,
  collection: string,
  tag: string,
  { records, attributes }: CollectionAttributes,
): Result {
  return {
    tag: `${build} ${tag} ${dictionary.tag}`,
    build,
    body() {
      const members = JSON.stringify({ collection, records, attributes });
      return { json: Buffer.from(`${opening},${members.slice(1)}`) };
    },
  };
}
