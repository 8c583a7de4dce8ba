import type { DatasetContent, EncodedBuild } from '../format/build-content.ts';
import type { JsonObject } from '../format/dist-format.ts';
import type { CompiledBuild, CompiledDataset } from './compile-build.ts';

/** Encodes a compiled build of a game. Each record is encoded once. */
export function encodeBuild(
  game: string,
  title: string,
  { source: { build, released_at }, roster, characters, datasets, carriedFrom }: CompiledBuild,
): EncodedBuild {
  return {
    game,
    title,
    build,
    released_at,
    ...(carriedFrom && { carried_from: carriedFrom }),
    roster: roster.map(encodeRecord),
    characters: characters.map(({ record }) => encodeRecord(record)),
    datasets: new Map(datasets.map((dataset) => [dataset.key, encodeDataset(dataset)])),
  };
}

function encodeDataset(dataset: CompiledDataset): DatasetContent {
  if (dataset.kind === 'object') return { kind: 'object', text: encodeRecord(dataset.object) };
  return { kind: 'list', records: dataset.records.map(({ record }) => encodeRecord(record)) };
}

/** The texts of records. From build to build most records are the same objects, which do not change (`Evaluations`). */
const texts = new WeakMap<JsonObject, string>();

/** The text of a record, made once. */
export function encodeRecord(record: JsonObject): string {
  const text = texts.get(record) ?? JSON.stringify(record);
  texts.set(record, text);
  return text;
}
