import { settingsSchema } from '../changes/change-checker.ts';
import { correctionsSchema } from '../corrections/corrections.ts';
import { aliasesSchema, attributesSchema, buildSchema, gameSchema } from './game-schema.ts';
import { INSTANT } from './schema.ts';

/**
 * Renders the JSON Schemas (draft 7) with which editors complete and check game.json, build.json and corrections.json: the compiler's own schemas
 * with the keywords of editors. @returns the texts by file name in data/
 */
export function renderEditorSchemas(): Record<string, string> {
  const properties = { ...(gameSchema.properties as object), checks: settingsSchema() };
  return {
    'game.schema.json': render('The definition of a game: game.json', { ...gameSchema, properties }),
    'build.schema.json': render('A build of a game: build.json', buildSchema),
    'attributes.schema.json': render('What the attributes of a game mean', attributesSchema),
    'aliases.schema.json': render('Further names of the records of a game: aliases.json', aliasesSchema),
    'corrections.schema.json': render(
      'The lasting corrections of a game: corrections.json',
      correctionsSchema,
    ),
  };
}

function render(title: string, schema: object): string {
  const published = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    // Without this, Visual Studio Code marks comments as errors.
    allowComments: true,
    ...(forEditors(schema) as object),
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

function forEditors(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(forEditors);
  if (typeof part !== 'object' || part === null) return part;
  const { help, description: expected, format, ...keywords } = part as Record<string, unknown>;
  // A map of properties, one of which is called `help`, `description` or `format`.
  if (typeof help === 'object' || typeof expected === 'object' || typeof format === 'object') {
    return mapValues(part);
  }
  const texts = [help, expected && `${help ? 'Expected: ' : ''}${expected}`].filter(Boolean);
  return {
    ...(texts.length > 0 && { description: texts.join('\n\n') }),
    ...(format === 'instant' && { pattern: INSTANT }),
    ...mapValues(keywords),
  };
}

function mapValues(object: object): object {
  return Object.fromEntries(Object.entries(object).map(([key, part]) => [key, forEditors(part)]));
}
