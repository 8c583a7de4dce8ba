import type { Attribute } from '../../../scripts/format/attributes.ts';
import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import type { ComparedField } from './compare-rows.ts';
import type { FacetRecord } from './facets.ts';
import type { TileKeys } from './tile.ts';

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

/** What a list is rendered with. */
export interface ExploreData {
  game: GameData;
  /** `characters`, or the key of a dataset. */
  collection: string;
  label: string;
  /** How many records it has. */
  records: number;
  facets: FacetRecord[];
  /** The columns that are shown if the address names none. */
  columns: string[];
  tile: TileKeys;
  /** Whether its records have pages. */
  hasIds: boolean;
  /** Whether only a sample is shown without a key, which cannot be filtered. */
  isSample: boolean;
  /** The query of the page's address. */
  query: string;
  /** The records that the page shows. */
  list: ListReply;
  /** The names of records that these refer to, by collection and id: `materials/104111`. */
  names: Record<string, string>;
}

/** What brings a record to a reader who sees more of it than visitors do. */
export interface NewerRecordData {
  game: string;
  /** The build that the page shows. */
  build: string;
  collection: string;
  /** Empty on a page that many addresses share. */
  id: string;
  /** Whether the page shows the record. */
  isShown: boolean;
  /** Whether any key sees more than the page, and not only that of a Pro account. */
  isSample: boolean;
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
  /** The ids in the page's address. */
  query: string;
  comparison: Comparison;
  /** The keys that a player compares at first, besides stats. */
  main: string[];
  tile: TileKeys;
  /** All that can be chosen, if visitors see a sample. */
  sample: Comparison | undefined;
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
