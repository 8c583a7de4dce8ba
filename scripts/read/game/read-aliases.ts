import path from 'node:path';
import type { Outcome } from '../../findings/findings.ts';
import { type Aliases, DATASET_KEY } from '../../format/dist-format.ts';
import { isAbsent } from '../../lib/regular-file.ts';
import { checkSchema, compileSchema } from '../../schemas/schema.ts';
import { parseJson } from '../formats/json.ts';
import { readInside } from '../named-file.ts';

/** The file of a game's folder with further names of its records. */
export const ALIASES_FILE = 'aliases.json';

const names = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S' },
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: 'a list of 1 to 20 different names',
  help: 'What people call the record: short names, former names, other spellings. Search ranks them as names.',
};

/** JSON Schema of aliases.json. */
export const aliasesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../aliases.schema.json". The compiler ignores it.',
    },
  },
  patternProperties: {
    [DATASET_KEY]: {
      type: 'object',
      additionalProperties: names,
      help: 'Further names by id, of `characters` or of the dataset with this key: {"10000052": ["raiden", "ei"]}.',
    },
  },
};

const validAliases = compileSchema<Aliases & { $schema?: string }>(aliasesSchema);
const CHECK = 'aliases';

/** Reads a game's aliases.json. @returns no aliases if the file does not exist, or does not match its schema */
export async function readAliases(folder: string): Promise<Outcome<Aliases>> {
  const file = path.posix.join(folder, ALIASES_FILE);
  if (await isAbsent(file)) return { value: {}, findings: [] };
  const text = await readInside(folder, ALIASES_FILE);
  const parsed = 'value' in text ? parseJson(text.value, file) : text;
  if ('finding' in parsed) return { value: {}, findings: [parsed.finding] };
  const content: unknown = parsed.value;
  const findings = [...parsed.findings, ...checkSchema(validAliases, content, CHECK, { file, pointer: '' })];
  if (findings.length > 0 || !validAliases(content)) return { value: {}, findings };
  const { $schema: _schema, ...aliases } = content;
  return { value: aliases, findings };
}
