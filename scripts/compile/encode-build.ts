import type { BuildContent, DatasetContent, RecordTexts } from '../diff/build-content.ts';
import type { CompiledBuild, CompiledDataset } from './compile-build.ts';

/** A build with each of its records encoded, once. */
export interface EncodedBuild extends BuildContent {
  /** The roster entries. */
  roster: RecordTexts;
}

/** Encodes a compiled build of a game. */
export function encodeBuild(
  game: string,
  title: string,
  { source: { build, released_at }, roster, characters, datasets }: CompiledBuild,
): EncodedBuild {
  return {
    game,
    title,
    build,
    released_at,
    roster: roster.map((entry) => JSON.stringify(entry)),
    characters: characters.map(({ record }) => JSON.stringify(record)),
    datasets: new Map(datasets.map((dataset) => [dataset.key, encodeDataset(dataset)])),
  };
}

function encodeDataset(dataset: CompiledDataset): DatasetContent {
  if (dataset.kind === 'object') return { kind: 'object', text: JSON.stringify(dataset.object) };
  return { kind: 'list', records: dataset.records.map(({ record }) => JSON.stringify(record)) };
}
