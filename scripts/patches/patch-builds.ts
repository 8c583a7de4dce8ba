import { datasetKeys, equalDatasets, matchCharacters, parseAt, parseDataset } from '../diff/diff-builds.ts';
import { matchRecords, type RecordMatches } from '../diff/match-records.ts';
import type { BuildContent, DatasetContent, RecordTexts } from '../format/build-content.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { append, type Operation, patchPositions, patchValue } from './json-patch.ts';

/**
 * The JSON Patch (RFC 6902) that turns the snapshot of one build, `{game, title, build, released_at, characters: […],
 * datasets: {key: […] or {…}}}`, into a document that equals the snapshot of the other.
 */
export function patchBuilds(before: BuildContent, after: BuildContent): Operation[] {
  const operations = (['game', 'title', 'build', 'released_at'] as const).flatMap((name) =>
    patchValue(before[name], after[name], pointerTo('', name)),
  );
  const characters = matchCharacters(before.characters, after.characters);
  append(operations, patchRecords(before.characters, after.characters, characters, '/characters'));
  for (const key of datasetKeys(before.datasets, after.datasets)) {
    const path = pointerTo('/datasets', key);
    append(operations, patchDataset(before.datasets.get(key), after.datasets.get(key), path));
  }
  return operations;
}

function patchDataset(
  before: DatasetContent | undefined,
  after: DatasetContent | undefined,
  path: string,
): Operation[] {
  if (equalDatasets(before, after)) return [];
  if (after === undefined) return [{ op: 'remove', path }];
  if (before === undefined) return [{ op: 'add', path, value: parseDataset(after) }];
  if (before.kind === 'list' && after.kind === 'list') {
    const matches = matchRecords(before.records, after.records);
    if (matches) return patchRecords(before.records, after.records, matches, path);
  }
  return patchValue(parseDataset(before), parseDataset(after), path);
}

function patchRecords(
  before: RecordTexts,
  after: RecordTexts,
  { removed, added, changed }: RecordMatches,
  path: string,
): Operation[] {
  return [
    ...patchPositions(path, removed, added, (j) => parseAt(after, j)),
    ...changed.flatMap(([i, j]) => patchValue(parseAt(before, i), parseAt(after, j), pointerTo(path, j))),
  ];
}
