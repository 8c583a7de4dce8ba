import { buildSchema, gameSchema } from '../read/definition-schemas.ts';
import { INSTANT } from '../schemas/instant.ts';

/**
 * The JSON Schemas (draft 7) of the definitions in data/, by which an editor completes and checks them: the compiler's own, told in
 * words and keywords that editors know. By file in data/.
 */
export function renderEditorSchemas(): Record<string, string> {
  return {
    'game.schema.json': render('The definition of a game: game.json', gameSchema),
    'build.schema.json': render('A build of a game: build.json', buildSchema),
  };
}

function render(title: string, schema: object): string {
  const published = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    // Visual Studio Code would mark them as errors.
    allowComments: true,
    ...(forEditors(schema) as object),
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

function forEditors(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(forEditors);
  if (typeof part !== 'object' || part === null) return part;
  const { help, description, format, ...keywords } = part as Record<string, unknown>;
  // A property may be called like a keyword.
  if (typeof help === 'object' || typeof description === 'object' || typeof format === 'object') {
    return mapValues(part);
  }
  const told = [help, description && `${help ? 'Expected: ' : ''}${description}`].filter(Boolean);
  return {
    ...(told.length > 0 && { description: told.join('\n\n') }),
    ...(format === 'instant' && { pattern: INSTANT }),
    ...mapValues(keywords),
  };
}

function mapValues(object: object): object {
  return Object.fromEntries(Object.entries(object).map(([key, part]) => [key, forEditors(part)]));
}
