import { parseDataset } from '../../../scripts/diff/diff-builds.ts';
import type { GamePlan } from '../../../scripts/dist/plan.ts';
import { type BuildContent, contentReader } from '../../../scripts/format/build-content.ts';
import type { Json, JsonObject, Manifest } from '../../../scripts/format/dist-format.ts';

/** A build's content from canonical values. Missing parts are empty, or the same for all builds. */
export function contentOf(
  characters: JsonObject[],
  datasets: Record<string, JsonObject[] | JsonObject> = {},
  build = '1.0',
): BuildContent {
  const encode = (value: Json) => JSON.stringify(value);
  return {
    game: 'game',
    title: 'Game',
    build,
    released_at: '2026-01-01T00:00:00.000Z',
    characters: characters.map(encode),
    datasets: new Map(
      Object.entries(datasets).map(([key, value]) => [
        key,
        Array.isArray(value)
          ? { kind: 'list', records: value.map(encode) }
          : { kind: 'object', text: encode(value) },
      ]),
    ),
  };
}

/** All builds of a plan, oldest first. */
export async function contentsOfPlan({ manifest, files }: GamePlan): Promise<BuildContent[]> {
  const parsed = JSON.parse(String(files.get(manifest.file))) as Manifest;
  const read = contentReader(parsed, async ({ file }) => Buffer.from(files.get(file) ?? []));
  const contents: BuildContent[] = [];
  for (const entry of parsed.builds) contents.push(await read(entry));
  return contents;
}

/** The snapshot of a build, parsed. */
export interface Snapshot {
  game: string;
  title: string;
  build: string;
  released_at: string;
  characters: JsonObject[];
  datasets: Record<string, Json>;
}

/** The snapshot of a build's content; a new copy for each call. */
export function snapshotOf({ characters, datasets, ...head }: BuildContent): Snapshot {
  return {
    ...head,
    characters: characters.map((record) => JSON.parse(record)),
    datasets: Object.fromEntries([...datasets].map(([key, dataset]) => [key, parseDataset(dataset)])),
  };
}
