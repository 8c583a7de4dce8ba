import type { CollectionAttributes } from '../../scripts/format/attributes.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { facetsOf, filtersOf, labelledFacetsOf } from '../../scripts/records/filters.ts';
import { attributesOfEntries, countAttributes, schemaOfRecord } from '../../scripts/records/record-schema.ts';
import { inAnyLanguage } from '../../scripts/records/translated-attributes.ts';
import { typeName } from '../../scripts/records/type-name.ts';
import type { JsonSchema, QueryParameter } from '../api/route.ts';
import type { Dataset, GameBuild } from '../data/game-build.ts';
import type { Collection } from '../query/collection.ts';
import { attributesOfDataset, attributesOfRoster } from '../attributes/attributes-of.ts';
import { schemaFor } from './schemas.ts';
import { shortenExample } from './shorten-example.ts';

/** What a document says of one collection. */
export interface TypedCollection {
  /** The names of the schemas of its response, and of one record in it. */
  page: string;
  record: string;
  /** The schemas that it adds to the document, by name. */
  schemas: Record<string, JsonSchema>;
  /** The filters of the list; none for one object. */
  filters: QueryParameter[];
  /** Parameters of lists that this one does not have: `q` without names, `ids` without ids. */
  without: readonly string[];
  example: JsonObject;
  /** Undefined without records. */
  exampleRecord: JsonObject | undefined;
}

/** Describes the roster of a game, and what consists of full records. */
export async function typeRoster(game: GameBuild): Promise<TypedCollection> {
  const { roster } = game;
  const attributes = attributesOfRoster(game);
  const entries = attributesOfEntries(attributes, countIn(roster.records));
  const { own } = game.languages;
  const full = ref('FullCharacter');
  return {
    page: 'RosterPage',
    record: 'FullCharacter',
    schemas: {
      RosterPage: schemaFor.roster(ref('RosterCharacter')),
      RosterCharacter: {
        description: 'The attributes of a character that a list needs.',
        ...schemaOfRecord(inAnyLanguage(entries, own)),
      },
      FullCharacter: {
        description: 'The full record of a character.',
        ...schemaOfRecord(inAnyLanguage(attributes, own)),
      },
      RandomCharacters: schemaFor.randomCharacters(full),
      Comparison: schemaFor.comparison(full),
    },
    filters: filtersOfList(attributes),
    without: [],
    example: { ...openingOf(game), ...pageOf(roster), characters: firstOf(roster.records) },
    exampleRecord: firstOf(roster.fullRecords)[0],
  };
}

/** Describes a dataset of a game. */
export function typeDataset(game: GameBuild, dataset: Dataset): TypedCollection {
  const attributes = attributesOfDataset(game, dataset);
  const opening = { ...openingOf(game), dataset: dataset.key };
  const name = typeName(dataset.key);
  const record = `${name}Record`;
  const schema = schemaOfRecord(inAnyLanguage(attributes, game.languages.own));
  if (dataset.kind === 'object') {
    const page = `${name}Dataset`;
    return {
      ...{ page, record, filters: [], without: [] },
      schemas: { [page]: schemaFor.objectDataset(ref(record)), [record]: schema },
      example: { ...opening, data: shortenExample(parse(dataset.json)) },
      exampleRecord: undefined,
    };
  }
  const page = `${name}Page`;
  const records = firstOf(dataset.list.records);
  return {
    ...{ page, record, filters: filtersOfList(attributes), without: missingIn(dataset.list) },
    schemas: { [page]: schemaFor.listDataset(ref(record)), [record]: schema },
    example: { ...opening, ...pageOf(dataset.list), records },
    exampleRecord: records[0],
  };
}

function countIn(records: readonly Buffer[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  countAttributes(records.map(parse), counts);
  return counts;
}

function missingIn({ count, columns, rowOfId }: Collection): string[] {
  const hasNames = count === 0 || columns.get('name')?.type === 'string';
  return [...(hasNames ? [] : ['q']), ...(rowOfId ? [] : ['ids'])];
}

function filtersOfList(attributes: CollectionAttributes): QueryParameter[] {
  return [...facetsOf(attributes), ...labelledFacetsOf(attributes)].flatMap(filtersOf);
}

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function openingOf({ slug, build }: GameBuild): JsonObject {
  return { game: slug, build };
}

/** What a page with `limit=1` says of itself. */
function pageOf({ count, rowOfId }: Collection): JsonObject {
  const sort = rowOfId ? 'id' : null;
  return { total: count, count: Math.min(1, count), limit: 1, offset: 0, sort };
}

function firstOf(records: readonly Buffer[]): JsonObject[] {
  return records.slice(0, 1).map((record) => shortenExample(parse(record)));
}

function parse(json: Buffer): JsonObject {
  return JSON.parse(json.toString());
}
