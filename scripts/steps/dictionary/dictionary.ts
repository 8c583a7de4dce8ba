import path from 'node:path';
import type { CompiledBuild } from '../../compile/compile-build.ts';
import { DefinitionsOf } from '../../dictionary/definitions.ts';
import { type CollectionSurvey, type Surveyed, surveyBuild, visitSurvey } from '../../dictionary/survey.ts';
import type { AttributeDefinition } from '../../read/game/attribute-definition.ts';
import type { Place } from '../../findings/findings.ts';
import type { Json, JsonObject } from '../../format/dist-format.ts';
import type { Example } from '../rule.ts';

/** An example with a dictionary that describes `characters` and what every build has, and with these characters. */
export function dictionaryExample(characters: JsonObject, records: Json): Example {
  const described = { description: 'What it is.' };
  return {
    'game.json': {
      title: 'Game',
      attributes: { characters, pull_planner: { '*': described, '*.*': described } },
    },
    '1.0/characters.json': records,
  };
}

/** Where a finding about the dictionary is. */
export function placeOfDictionary({ source }: CompiledBuild): Place {
  return { file: path.posix.join(path.posix.dirname(source.folder), 'game.json'), pointer: '/attributes' };
}

/** An attribute that a build serves. */
export interface Served extends Surveyed {
  collection: string;
  /** What the dictionary says of it. */
  definition: AttributeDefinition | undefined;
  collections: ReadonlyMap<string, CollectionSurvey>;
}

/**
 * Visits the attributes of a build, an object before those inside it; none, if the game has no dictionary.
 *
 * @param visit returns whether to visit those inside
 */
export function visitServed(build: CompiledBuild, visit: (attribute: Served) => boolean): void {
  const { attributes } = build.source.definition;
  if (attributes === undefined) return;
  const collections = surveyBuild(build);
  for (const [collection, survey] of collections) {
    const definitions = new DefinitionsOf(attributes, collection);
    visitSurvey(survey.attributes, (attribute) => {
      const definition = definitions.find(attribute.key);
      return visit({ ...attribute, collection, definition, collections });
    });
  }
}
