import type { DatasetContent, EncodedBuild } from '../format/build-content.ts';
import type { JsonObject } from '../format/dist-format.ts';
import type { CompiledBuild, CompiledDataset } from './compile-build.ts';

/** Encodes a compiled build of a game: each of its records once. */
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
    roster: roster.map(encodeRecord),
    characters: characters.map(({ record }) => encodeRecord(record)),
    datasets: new Map(datasets.map((dataset) => [dataset.key, encodeDataset(dataset)])),
  };
}

function encodeDataset(dataset: CompiledDataset): DatasetContent {
  if (dataset.kind === 'object') return { kind: 'object', text: JSON.stringify(dataset.object) };
  return { kind: 'list', records: dataset.records.map(({ record }) => encodeRecord(record)) };
}

/** Texts of records: from build to build most are the same objects, which nobody changes (`Evaluations`). */
const texts = new WeakMap<JsonObject, string>();

function encodeRecord(record: JsonObject): string {
  const text = texts.get(record) ?? JSON.stringify(record);
  texts.set(record, text);
  return text;
}
