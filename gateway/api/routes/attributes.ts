import type { CollectionAttributes } from '../../../scripts/format/attributes.ts';
import { encodeList, type JsonObject } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { Collection } from '../../query/collection.ts';
import type { Result } from '../../wire/respond.ts';
import { findDataset } from './dataset.ts';
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
    const { key, tag } = dataset;
    const list = () => (dataset.kind === 'list' ? dataset.list : listOf(dataset.json));
    return attributesResult(game, key, tag, game.dictionary.describe(key, list));
  },
};

function rosterAttributes(game: GameBuild): Result {
  const attributes = game.dictionary.describe('characters', () => game.roster);
  return attributesResult(game, 'characters', game.tag, attributes);
}

/** An object as a list of one record. */
function listOf(json: Buffer): Collection {
  return new Collection(Buffer.from(encodeList([JSON.parse(json.toString()) as JsonObject])));
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
