import type { JsonObject } from '../format/dist-format.ts';
import { compileSchema, findMismatches } from '../schemas/schema.ts';
import { type Check, recordError } from './check.ts';

/** The core schema, which every character of every game matches. */
const validate = compileSchema({
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: {
      type: 'string',
      pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$',
      description: 'a URL-safe id (letters, digits, ".", "_", "~", "-"; 1 to 128; not "." or "..")',
    },
    name: { type: 'string', minLength: 1 },
    rarity: { type: 'integer' },
    attack: { type: 'string' },
    stats: { type: 'object', additionalProperties: { type: 'number' } },
  },
  patternProperties: { '^name_': { type: 'string' } },
});

/** The records that match it: most records are the same objects from build to build. */
const valid = new WeakSet<JsonObject>();

export const characterSchemaCheck: Check = {
  name: 'character-schema',
  description: 'Every character matches the core schema: id, name, rarity, attack, stats, name_xx.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/characters.json': [{ id: 'ann', name: 'Ann', rarity: 5 }] },
  fails: { '1.0/characters.json': [{ id: 'ann', name: 'Ann', rarity: 4.5 }] },
  *check({ characters }) {
    for (const character of characters) {
      if (valid.has(character.record)) continue;
      const mismatches = findMismatches(validate, character.record);
      for (const { pointer, found, expected } of mismatches)
        yield recordError(character, pointer, found, expected);
      if (mismatches.length === 0) valid.add(character.record);
    }
  },
};
