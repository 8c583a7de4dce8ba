import type { Change } from '../../scripts/diff/compare.ts';
import type { TimelineEntry } from '../../scripts/diff/history.ts';
import {
  type BuildEntry,
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import type { Archive } from '../data/archive.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild, idsOverTime } from '../data/game-build.ts';
import { ParameterError, type RawQuery } from '../http/incoming.ts';
import { HttpProblem, quote, suggest } from '../http/problem.ts';
import { splitList } from '../query/list-query.ts';
import { findCurrentId, suggestId } from './records.ts';
import type { ApiRequest, MemberRows, Route } from './route.ts';

export const timelineRoute: Route = {
  path: '/api/:game/history/:id',
  operationId: 'getTimeline',
  summary: 'What each build changed in a character',
  description:
    'The builds that added, changed or removed a character, oldest first, with every value before and after. The entry of a build that added it has ' +
    'its `record` at that time. `path` is a JSON Pointer into ' +
    'the full record; `from` or `to` is absent where there was nothing. Corrections of builds after their release are entries of the kind `amended`. Attributes that all characters gained or lost are in the history only. A character that was removed keeps its timeline; `name` is the newest.',
  needsKey: true,
  isPro: true,
  parameters: [],
  result: 'Timeline',
  problems: ['unknown-game', 'unknown-character'],
  async handle(request, { archive }) {
    const game = findGame(request);
    const { slug, build, builds, historyTag } = game;
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const timeline = await collectTimeline(builds, id, archive);
    const newest = timeline.at(-1);
    if (newest === undefined) throw await unknownInHistory(game, id, archive);
    return {
      tag: historyTag,
      build,
      location: location && `/api/${slug}/history/${location}`,
      body() {
        const entries = timeline.map(({ name: _, ...entry }) => entry);
        return {
          json: Buffer.from(JSON.stringify({ game: slug, id, name: newest.name, timeline: entries })),
        };
      },
    };
  },
};

/** The id under which a character has its history: its current id, if it was renumbered. `location` is that id in an address. */
function findHistoricId(game: GameBuild, id: string): { id: string; location?: string } {
  if (game.roster.rowOfId?.has(id)) return { id };
  const current = findCurrentId(game, CHARACTERS, id);
  return current ? { id: current.id, location: encodeURIComponent(current.id) } : { id };
}

/** The error about an id that no build of a game has had. */
async function unknownInHistory(
  { slug, builds, roster }: GameBuild,
  id: string,
  archive: Archive,
): Promise<HttpProblem> {
  const near = suggestId(id, roster) || suggest(id, await collectIds(builds, archive));
  const detail = `${slug} never had a character with the id ${quote(id)}${near}`;
  return new HttpProblem('unknown-character', detail);
}

/** An entry of a timeline, with the name that the character has then. */
interface Entry {
  name: string;
  build: string;
  released_at: string;
  kind: TimelineEntry['kind'] | 'amended';
  changes: Change[];
  folded?: TimelineEntry['folded'];
  /** The full record at that time; only if the build added the character. */
  record?: JsonObject;
  /** When and why the build was corrected; only for the kind `amended`. */
  at?: string;
  reason?: string;
}

async function collectTimeline(
  builds: readonly BuildEntry[],
  id: string,
  archive: Archive,
): Promise<Entry[]> {
  const timeline: Entry[] = [];
  const ids = idsOverTime(builds, id);
  for (const [at, build] of builds.entries()) {
    const now = ids[at];
    if (now === undefined) continue;
    const line = (await archive.timeline(build)).get(now);
    const entry = line && (await readEntry(build, line, archive));
    const before = ids[at - 1];
    const isRenumbered = at > 0 && before !== undefined && before !== now;
    if (isRenumbered) timeline.push(await renumbered(build, before, now, entry, archive));
    else if (entry) timeline.push(entry);
    timeline.push(...(await collectAmendments(build, now, archive)));
  }
  return timeline;
}

/** The entry of a build that renumbered a character, with what else it changed. */
async function renumbered(
  entry: BuildEntry,
  from: string,
  to: string,
  changed: Entry | undefined,
  archive: Archive,
): Promise<Entry> {
  const { build, released_at } = entry;
  const json = changed ? undefined : await archive.record(entry, to);
  const { name } = changed ?? (JSON.parse(json?.toString() ?? '{"name":""}') as { name: string });
  const changes: Change[] = [{ path: '/id', from, to }, ...(changed?.changes ?? [])];
  return {
    name,
    build,
    released_at,
    kind: 'changed',
    changes,
    ...(changed?.folded && { folded: changed.folded }),
  };
}

async function readEntry(entry: BuildEntry, line: Buffer, archive: Archive): Promise<Entry> {
  const { id, name, kind, changes, folded }: TimelineEntry = JSON.parse(line.toString());
  const { build, released_at } = entry;
  const json = kind === 'added' ? await archive.record(entry, id) : undefined;
  const record = json && { record: parseRecord(json) };
  return { name, build, released_at, kind, changes, ...(folded && { folded }), ...record };
}

/** The corrections of a build after its release that changed a character. */
async function collectAmendments(
  { build, released_at, amended, amendments = [] }: BuildEntry,
  id: string,
  archive: Archive,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const [index, ref] of amendments.entries()) {
    const all = ref && (await archive.amendment(ref));
    const changed = all?.characters.changed.find((each) => each.id === id);
    if (changed === undefined) continue;
    const { name, changes } = changed;
    entries.push({ name, build, released_at, kind: 'amended', changes, ...amended[index] });
  }
  return entries;
}

async function collectIds(builds: readonly BuildEntry[], archive: Archive): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const build of builds) for (const id of (await archive.timeline(build)).keys()) ids.add(id);
  return ids;
}

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
