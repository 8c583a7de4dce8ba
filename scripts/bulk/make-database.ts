import type { AttributeDictionary } from '../format/attributes.ts';
import type { BuildContent } from '../format/build-content.ts';
import { makeRelations } from './make-relations.ts';
import { writeSqlite } from './sqlite.ts';

/** Writes a build as an SQLite database. @param language of `name`, if it is known */
export async function makeDatabase(
  content: BuildContent,
  dictionary: AttributeDictionary,
  language: string | undefined,
): Promise<Uint8Array> {
  return await writeSqlite(makeRelations(content, dictionary, language));
}
