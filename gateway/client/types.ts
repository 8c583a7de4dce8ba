/** A value of an attribute that is neither an object nor a list. */
export type Scalar = string | number | boolean;

/** A record without a type: any attributes. */
export type AnyRecord = { [attribute: string]: unknown };

/** The types of one game, as `gamedata types` writes them. Facets are the values that a list can be filtered by, by dotted key. */
export interface GameTypes {
  characters: { entry: object; record: object; facets: object };
  /** The datasets that are lists of records, by key: `{ record, facets }`. */
  lists: object;
  /** The datasets that are one object, by key. */
  objects: object;
}

/** A game without types. */
export interface AnyGame extends GameTypes {
  characters: { entry: AnyRecord; record: AnyRecord; facets: Record<string, Scalar> };
  lists: Record<string, { record: AnyRecord; facets: Record<string, Scalar> }>;
  objects: Record<string, AnyRecord>;
}

/** The names of the lists of a game: `characters` and those of its datasets that are lists. */
export type ListName<G extends GameTypes> = 'characters' | (keyof G['lists'] & string);

/** What a list of a game consists of. */
export type ListOf<G extends GameTypes, K> = K extends 'characters'
  ? G['characters']
  : K extends keyof G['lists']
    ? G['lists'][K]
    : never;

/** A full record. */
export type RecordOf<L> = L extends { record: infer R } ? R : never;
/** A record as a list has it: of characters, without what only the full record has. */
export type EntryOf<L> = L extends { entry: infer E } ? E : RecordOf<L>;
type FacetsOf<L> = L extends { facets: infer F } ? F : never;

/** A record of which only the attributes in `fields` are there. */
export type Chosen<T> = T extends readonly (infer E)[]
  ? Chosen<E>[]
  : T extends object
    ? { [K in keyof T]?: Chosen<T[K]> }
    : T;

type OneOrMore<T> = T | readonly T[];
type Facet<F> = keyof F & string;

/** A filter for each facet and operator. */
export type Filters<F> = { [K in Facet<F>]?: OneOrMore<F[K]> | undefined } & {
  [K in Facet<F> as `${K}[ne]`]?: OneOrMore<F[K]> | undefined;
} & {
  [K in Facet<F> as F[K] extends number ? `${K}[${'gte' | 'gt' | 'lte' | 'lt'}]` : never]?:
    | number
    | undefined;
} & { [K in Facet<F> as `${K}[exists]`]?: boolean | undefined };

/** The query of a list without `fields`. */
export type ListQuery<L> = Filters<FacetsOf<L>> & {
  /** A search in names. */
  q?: string | undefined;
  /** Facets, `-` before one for descending. */
  sort?: OneOrMore<Facet<FacetsOf<L>> | `-${Facet<FacetsOf<L>>}`> | undefined;
  /** The size of a page, at most 1000. */
  limit?: number | undefined;
  offset?: number | undefined;
  ids?: readonly string[] | undefined;
};

/** Attributes of the full records, by dotted key. With them, records have only these. */
export interface ChosenFields {
  fields: readonly string[];
}

/** A page of a list. */
export interface Page<T> {
  game: string;
  build: string;
  /** How many records match. */
  total: number;
  /** How many of them are on this page. */
  count: number;
  limit: number | null;
  offset: number;
  sort: string | null;
  /** Unknown ones of `ids`. */
  missing?: string[];
  did_you_mean?: { parameter: string; value: string };
  records: T[];
}

/** Characters side by side. */
export interface Comparison<T> {
  game: string;
  build: string;
  count: number;
  ids: string[];
  characters: T[];
  /** One row per facet with one value per character; `best` has positions. */
  fields: { key: string; values: (Scalar | Scalar[] | null)[]; differs: boolean; best: number[] }[];
}

/** A query of any address. */
export type Query = { readonly [parameter: string]: OneOrMore<Scalar> | null | undefined };
