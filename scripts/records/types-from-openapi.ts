import { ownValue } from '../format/dist-format.ts';
import type { GameTypes, ListTypes } from './game-types.ts';
import type { JsonSchema } from './record-schema.ts';
import { typeName } from './type-name.ts';

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string; items?: JsonSchema };
}

/** The members of an OpenAPI document of a game that its types are made from. */
export interface GameDocument {
  info: { title: string; version: string };
  paths: Record<string, { get: { parameters: Parameter[] } }>;
  components: { schemas: Record<string, JsonSchema> };
}

/** Parameters of all lists whose values are lists, but that are no facets. */
const NO_FACETS = ['ids', 'fields'];

/** Reads the types of a game from its OpenAPI document. */
export function typesFromOpenApi(slug: string, { info, paths, components }: GameDocument): GameTypes {
  const { schemas } = components;
  const schemaOf = (name: string) => ownValue(schemas, name) ?? {};
  const listOf = (key: string, name: string): ListTypes => ({
    record: schemaOf(name),
    facets: facetsIn(paths[`/api/${slug}/${key}`]?.get.parameters ?? []),
  });
  const keys = Object.keys(paths).flatMap((path) => {
    const key = path.slice(`/api/${slug}/`.length);
    return `${typeName(key)}Record` in schemas ? [key] : [];
  });
  const isList = (key: string) => `${typeName(key)}Page` in schemas;
  return {
    slug,
    title: info.title.replace(/ \(Game Data Read API\)$/, ''),
    build: info.version.slice(info.version.indexOf('+') + 1),
    characters: { ...listOf('characters', 'FullCharacter'), entry: schemaOf('RosterCharacter') },
    lists: new Map(keys.filter(isList).map((key) => [key, listOf(key, `${typeName(key)}Record`)])),
    objects: new Map(
      keys.filter((key) => !isList(key)).map((key) => [key, schemaOf(`${typeName(key)}Record`)]),
    ),
  };
}

function facetsIn(parameters: readonly Parameter[]): Map<string, JsonSchema> {
  const facets = parameters.filter(
    ({ name, schema }) => schema.type === 'array' && !NO_FACETS.includes(name) && !name.endsWith(']'),
  );
  return new Map(facets.map(({ name, schema }) => [name, schema.items ?? {}]));
}
