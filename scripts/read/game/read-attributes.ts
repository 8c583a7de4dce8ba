import path from 'node:path';
import { type Finding, hasErrors, type Outcome } from '../../findings/findings.ts';
import { checkSchema, compileSchema } from '../../schemas/schema.ts';
import { parseJson } from '../formats/json.ts';
import { readNamedFile } from '../named-file.ts';
import { type AttributeDefinitions, attributesSchema } from './attribute-definition.ts';

const validAttributes = compileSchema<AttributeDefinitions & { $schema?: string }>(attributesSchema);

/**
 * Reads what a `game.json` says about attributes: itself, or in a file that it names. A file that cannot be used describes nothing, with
 * findings.
 *
 * @param folder the game's folder
 * @param gameFile the path of game.json for findings
 */
export async function readAttributes(
  folder: string,
  gameFile: string,
  raw: AttributeDefinitions | string | undefined,
): Promise<Outcome<AttributeDefinitions | undefined>> {
  if (typeof raw !== 'string') return { value: raw, findings: [] };
  const text = await readNamedFile(
    folder,
    raw,
    { file: gameFile, pointer: '/attributes' },
    'attributes-file',
  );
  const file = path.posix.join(folder, raw);
  const parsed = 'value' in text ? parseJson(text.value, file) : text;
  if ('finding' in parsed) return { value: undefined, findings: [parsed.finding] };
  const content: unknown = parsed.value;
  const findings: Finding[] = [
    ...parsed.findings,
    ...checkSchema(validAttributes, content, 'attributes-file', { file, pointer: '' }),
  ];
  if (hasErrors(findings) || !validAttributes(content)) return { value: undefined, findings };
  const { $schema: _schema, ...definitions } = content;
  return { value: definitions, findings };
}
