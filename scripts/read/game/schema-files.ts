import path from 'node:path';
import { addFindings, type Finding, type Outcome } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { DatasetSchema } from '../../schemas/schema.ts';
import { parseJson } from '../formats/json.ts';
import { readNamedFile } from '../named-file.ts';

/** A game's own schemas by dataset key or `characters`: the text, and a function that checks a record. */
export type DatasetSchemas = ReadonlyMap<string, { text: string; mismatchesOf: DatasetSchema }>;

/**
 * Reads the JSON Schemas that a `game.json` names for its datasets. A schema that cannot be used is left out with a finding.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 * @param files paths inside the folder, by dataset key
 */
export async function readSchemaFiles(
  folder: string,
  gameFile: string,
  files: Record<string, string> = {},
): Promise<Outcome<DatasetSchemas>> {
  const findings: Finding[] = [];
  if (Object.keys(files).length === 0) return { value: new Map(), findings };
  const { compileDatasetSchema } = await import('../../schemas/dataset-schema.ts');
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
