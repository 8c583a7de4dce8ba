import { findDataset } from '../api/dataset.ts';
import { FIELDS_OF_RECORD, findCurrentId, recordResult, suggestId } from '../api/record-body.ts';
import { findGame, LANG, type Route } from '../api/route.ts';
import type { Dataset, GameBuild } from '../data/game-build.ts';
import { HttpProblem } from '../http/problem.ts';
import { quote } from '../http/suggest.ts';
import type { Collection } from '../query/collection.ts';

export const recordRoute: Route = {
  path: '/api/:game/:dataset/:id',
  operationId: 'getRecord',
  summary: 'One record of a dataset',
  description:
    'The record itself, of a dataset that is a list of records with ids. An earlier id of a record that was renumbered finds it too.',
  needsKey: true,
  parameters: [FIELDS_OF_RECORD, LANG],
  result: 'Record',
  problems: ['unknown-game', 'unknown-dataset', 'unknown-record'],
  handle(request) {
    const game = findGame(request);
    const dataset = findDataset(request, game);
    const id = request.params.id ?? '';
    const { list, rowOfId } = readIds(game, dataset, id);
    let row = rowOfId.get(id);
    const current = row === undefined ? findCurrentId(game, dataset.key, id) : undefined;
    if (current) row = rowOfId.get(current.id);
    if (row === undefined) {
      const near = suggestId(id, list);
      throw new HttpProblem(
        'unknown-record',
        `${game.slug} has no record with the id ${quote(id)} in ${dataset.key}${near}`,
      );
    }
    const tag = `${game.build} ${dataset.tag}`;
    return recordResult(request, { game, tag, list, row, location: current?.location });
  },
};

/** @throws HttpProblem `unknown-record` when the records of a dataset have no ids */
function readIds({ slug }: GameBuild, dataset: Dataset, id: string) {
  const list: Collection | undefined = dataset.kind === 'list' ? dataset.list : undefined;
  if (list?.rowOfId) return { list, rowOfId: list.rowOfId };
  throw new HttpProblem(
    'unknown-record',
    `${dataset.key} of ${slug} has no records with ids, so none is ${quote(id)}; /api/${slug}/${dataset.key} is the whole dataset`,
  );
}
