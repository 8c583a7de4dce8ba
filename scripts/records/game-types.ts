import type { JsonSchema } from './record-schema.ts';

/** The types of a list: a record, and the values of each facet. */
export interface ListTypes {
  record: JsonSchema;
  facets: ReadonlyMap<string, JsonSchema>;
}

/** What the types of a game are made from. */
export interface GameTypes {
  slug: string;
  title: string;
  build: string;
  characters: ListTypes & { entry: JsonSchema };
  /** The datasets that are lists, by key. */
  lists: ReadonlyMap<string, ListTypes>;
  /** The datasets that are one object, by key. */
  objects: ReadonlyMap<string, JsonSchema>;
}
