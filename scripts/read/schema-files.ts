import path from 'node:path';
import { addFindings, type Finding, type Outcome } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { compileDatasetSchema, type DatasetSchema } from '../schemas/dataset-schema.ts';
import { parseJson } from './json.ts';
import { readNamedFile } from './named-file.ts';

/** What a game's own schemas say of its records, by dataset key or `characters`, with the text that says it. */
export type DatasetSchemas = ReadonlyMap<string, { text: string; mismatchesOf: DatasetSchema }>;

/**
 * Reads the JSON Schemas that a `game.json` names for its datasets. One that cannot be used is a finding, and left out.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json that a finding names
 * @param files by dataset key the path inside the folder
 */
export async function readSchemaFiles(
  folder: string,
  gameFile: string,
  files: Record<string, string> = {},
): Promise<Outcome<DatasetSchemas>> {
  const findings: Finding[] = [];
  const schemas = new Map<string, { text: string; mismatchesOf: DatasetSchema }>();
  for (const [key, file] of Object.entries(files)) {
    const place = { file: gameFile, pointer: pointerTo('/schemas', key) };
    const text = await readNamedFile(folder, file, place, 'schema-file');
    const fullPath = path.posix.join(folder, file);
    const parsed = 'value' in text ? parseJson(text.value, fullPath) : text;
    if ('finding' in parsed) findings.push(parsed.finding);
    else {
      const { value: schema, findings: ofSchema } = compileDatasetSchema(parsed.value, fullPath);
      addFindings(findings, parsed.findings, ofSchema);
      if (schema && 'value' in text) schemas.set(key, { text: text.value, mismatchesOf: schema });
    }
  }
  return { value: schemas, findings };
}
