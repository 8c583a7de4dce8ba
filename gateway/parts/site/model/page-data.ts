import type { Attribute } from '../../../../scripts/core/format/attributes.ts';
import type { Json, JsonObject } from '../../../../scripts/core/format/json.ts';
import type { ComparedField } from './compare-rows.ts';
import type { FacetRecord } from './facets.ts';

/** What every interactive page knows of its game, as the free view has it. */
export interface GameData {
  slug: string;
  title: string;
  build: string;
  /** The codes of the languages that names can be shown in, besides the game's own. */
  languages: string[];
  attributes: Attribute[];
}

/** A list that can be explored. */
export interface CollectionLink {
  /** `characters`, or the key of a dataset. */
  key: string;
  label: string;
  count: number;
}

/** What the page `explore` is rendered with. */
export interface ExploreData {
  game: GameData;
  collections: CollectionLink[];
  /** The key of the collection that is shown. */
  collection: string;
  /** How many records it has. */
  records: number;
  facets: FacetRecord[];
  /** The first characters, which need no key; empty for datasets. */
  sample: JsonObject[];
}

/** What the page of a character is rendered with. */
export interface CharacterData {
  game: GameData;
  /** Empty for all that are not in the sample: their page is one, and its address names the character. */
  id: string;
  /** The full record, if it is one of the sample. */
  record: JsonObject | undefined;
}

/** What the list of builds is rendered with. */
export interface NewerBuildsData {
  /** The slug of the game. */
  game: string;
  /** The newest build that visitors see. */
  newest: string;
  /** How many hours after its release a build is public. */
  delayHours: number;
}

/** What the page of a build is rendered with. */
export interface PatchData {
  /** The slug of the game. */
  game: string;
  /** Empty for all builds that visitors do not see: their page is one, and its address names the build. */
  build: string;
  /** The build before; undefined for the first one, and if `build` is empty. */
  previous: string | undefined;
  /** How many hours after its release a build is public. */
  delayHours: number;
  /** Where to join; undefined if the operator does not say. */
  join: { name: string; address: string } | undefined;
}

/** What the page `compare` is rendered with. */
export interface CompareData {
  game: GameData;
  /** The characters of the sample, with a value for each in every row. */
  sample: Comparison;
}

/** The response of `/api/{game}/compare`, of which only this is used. */
export interface Comparison {
  ids: string[];
  /** With `id`, and a name if they have one. */
  characters: JsonObject[];
  fields: ComparedField[];
}

/** The response of a list of the API. */
export interface ListReply {
  build: string;
  total: number;
  count: number;
  did_you_mean?: { parameter: string; value: string };
  characters?: JsonObject[];
  records?: JsonObject[];
  [member: string]: Json | JsonObject[] | undefined;
}
