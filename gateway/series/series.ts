import {
  type BuildEntry,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { type ApiRequest, findGame, type MemberRows, type Route } from '../api/route.ts';
import { findHistoricId, unknownInHistory } from '../api/timeline.ts';
import { type GameBuild, idsOverTime } from '../data/game-build.ts';
import { ParameterError, type RawQuery } from '../http/raw-query.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Archive } from '../data/archive.ts';
import { splitList } from '../query/list-query.ts';

const MAX_FIELDS = 50;

export const seriesRoute: Route = {
  path: '/api/:game/history/:id/series',
  operationId: 'getSeries',
  summary: 'Attributes of a character in each build',
  description:
    'The values of some attributes in each build that has the character, oldest first, ready to plot. A build without the attribute has null. ' +
    'A character that was removed keeps its series.',
  needsKey: true,
  isPro: true,
  parameters: [
    {
      name: 'fields',
      description: `One to ${MAX_FIELDS} attributes of the full record, by dotted key and separated by commas.`,
      required: true,
      schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_FIELDS },
      style: 'form',
      explode: false,
      example: ['stats.atk', 'stats.hp'],
    },
  ],
  result: 'Series',
  problems: ['unknown-game', 'unknown-character'],
  hasRows: true,
  async handle(request, { archive }) {
    const game = findGame(request);
    const fields = readFields(request.query);
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const records = await collectRecords(game.builds, id, archive);
    if (records.length === 0) throw await unknownInHistory(game, id, archive);
    checkFields(fields, game, records);
    return {
      vary: 'Accept',
      isNamed: true,
      tag: game.historyTag,
      build: game.build,
      location: location && `/api/${game.slug}/history/${location}/series${suffixOf(request)}`,
      body: () => ({
        json: Buffer.from(JSON.stringify({ game: game.slug, id, fields, series: seriesOf(records, fields) })),
      }),
      rows: describeRows(fields),
    };
  },
};

/** A path with a suffix stays with it. */
function suffixOf({ path }: ApiRequest): string {
  return /\.[a-z]+$/.exec(path)?.[0] ?? '';
}

/** The values of a build. */
interface Point {
  build: string;
  released_at: string;
  values: Json[];
}

function describeRows(fields: readonly string[]): MemberRows<Point> {
  return {
    member: 'series',
    names: ['build', 'released_at', ...fields],
    cellsOf: ({ build, released_at, values }) => [build, released_at, ...values],
  };
}

function seriesOf(records: readonly RecordOfBuild[], fields: readonly string[]): Point[] {
  return records.map(({ entry: { build, released_at }, record }) => {
    return { build, released_at, values: fields.map((key) => valueAt(record, key)) };
  });
}

function readFields(query: RawQuery): string[] {
  const values = query.map(([, value]) => value);
  const expected = `expected 1 to ${MAX_FIELDS} attributes separated by commas`;
  if (values.length === 0) throw new ParameterError('fields', `fields is missing, ${expected}`);
  const fields = splitList('fields', values);
  if (fields.length > MAX_FIELDS)
    throw new ParameterError('fields', `fields names ${fields.length} attributes, ${expected}`);
  const twice = fields.find((key, index) => fields.indexOf(key) < index);
  if (twice === undefined) return fields;
  throw new ParameterError('fields', `fields names ${quote(twice)} twice, expected different attributes`);
}

/** A build, and the full record that the character has in it. */
interface RecordOfBuild {
  entry: BuildEntry;
  record: JsonObject;
}

async function collectRecords(
  builds: readonly BuildEntry[],
  id: string,
  archive: Archive,
): Promise<RecordOfBuild[]> {
  const records: RecordOfBuild[] = [];
  const ids = idsOverTime(builds, id);
  let last: { file: string; record: JsonObject | undefined } = { file: '', record: undefined };
  for (const [at, entry] of builds.entries()) {
    const { file } = entry.characters;
    const now = ids[at];
    // Builds in a row that did not change name the same file.
    if (file !== last.file || now !== ids[at - 1]) {
      const json = now === undefined ? undefined : await archive.record(entry, now);
      last = { file, record: json && parseRecord(json) };
    }
    if (last.record) records.push({ entry, record: last.record });
  }
  return records;
}

/** @throws ParameterError for an attribute that neither the character ever had, nor any has now */
function checkFields(
  fields: readonly string[],
  { roster }: GameBuild,
  records: readonly RecordOfBuild[],
): void {
  if (fields.every((key) => roster.attributes.has(key))) return;
  const attributes = new Set(roster.attributes);
  for (const { record } of records) eachAttribute(record, (key) => attributes.add(key));
  const unknown = fields.find((key) => !attributes.has(key));
  if (unknown === undefined) return;
  throw new ParameterError(
    'fields',
    `${quote(unknown)} is not an attribute of these records${suggest(unknown, attributes)}`,
  );
}

/** The value of a dotted key in a record; null if it has none. */
function valueAt(record: JsonObject, key: string): Json {
  let part: Json | undefined = record;
  for (const step of key.split('.')) {
    part = isObject(part) && Object.hasOwn(part, step) ? part[step] : undefined;
  }
  return part ?? null;
}
