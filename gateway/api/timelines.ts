import type { Change } from '../../scripts/diff/compare.ts';
import type { TimelineEntry } from '../../scripts/diff/history.ts';
import {
  type BuildEntry,
  eachAttribute,
  type JsonObject,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import type { Archive } from '../data/archive.ts';
import { findGame } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild, idsOverTime } from '../data/game-build.ts';
import { readNames } from '../http/incoming.ts';
import { HttpProblem, invalidParameter, quote, suggest } from '../http/problem.ts';
import { valueAt } from '../query/fields.ts';
import { keptNameOf, languageTag, readOptionalLanguage, translateValue } from '../query/translation.ts';
import { findCurrentId, suggestId } from './records.ts';
import { LANG, listParameter, type MemberRows, route } from './route.ts';

export const timelineRoute = route({
  path: '/api/:game/history/:id',
  operationId: 'getTimeline',
  summary: 'What each build changed in a character',
  description:
    'The builds that added, changed or removed a character, oldest first, with every value before and after. The entry of a build that added it has ' +
    'its `record` at that time. `path` is a JSON Pointer into ' +
    'the full record; `from` or `to` is absent where there was nothing. Corrections of builds after their release are entries of the kind `amended`. Attributes that all characters gained or lost are in the history only. A character that was removed keeps its timeline; `name` is the newest.',
  isPro: true,
  parameters: [LANG],
  result: 'Timeline',
  async handle(request, { archive }) {
    const game = findGame(request);
    const { slug, build, builds, historyTag, languages } = game;
    const language = readOptionalLanguage(request.query, languages);
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const entries = await collectTimeline(builds, id, archive);
    const newest = entries.at(-1);
    if (newest === undefined) throw await unknownInHistory(game, id, archive);
    const inLanguage = (record: JsonObject | undefined) =>
      record && language ? translateValue(record, language, keptNameOf(language, languages.own)) : record;
    const timeline = entries.map(({ name: _, record, ...entry }) =>
      record ? { ...entry, record: inLanguage(record) } : entry,
    );
    const last = language && (await newestRecord(builds, id, archive));
    const { name = newest.name } = last ? { name: last[`name_${language}`] } : newest;
    return {
      tag: historyTag,
      build,
      language: language && languageTag(language),
      location,
      body: () => ({ json: Buffer.from(JSON.stringify({ game: slug, id, name, timeline })) }),
    };
  },
});

/** The id under which a character's history is stored: the current one if it was renumbered. `location` is its address. */
function findHistoricId(game: GameBuild, id: string): { id: string; location?: string } {
  const current = game.roster.rowOfId?.has(id) ? undefined : findCurrentId(game, CHARACTERS, id)?.id;
  if (current === undefined) return { id };
  return { id: current, location: `/api/${game.slug}/history/${encodeURIComponent(current)}` };
}

/** The error for an id that no build of the game has had. */
async function unknownInHistory(
  { slug, builds, roster }: GameBuild,
  id: string,
  archive: Archive,
): Promise<HttpProblem> {
  const ids = new Set<string>();
  for (const build of builds) for (const each of (await archive.timeline(build)).keys()) ids.add(each);
  const near = suggestId(id, roster) || suggest(id, ids);
  const detail = `${slug} never had a character with the id ${quote(id)}${near}`;
  return new HttpProblem('unknown-character', detail);
}

/** An entry of a timeline, with the character's name at that time. */
interface Entry {
  name: string;
  build: string;
  released_at: string;
  kind: TimelineEntry['kind'] | 'amended';
  changes: Change[];
  folded?: TimelineEntry['folded'];
  /** The full record at that time; only in the build that added the character. */
  record?: JsonObject | undefined;
  /** When and why the build was corrected; only for `amended`. */
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
  const recordOf = async (entry: BuildEntry, ofId: string) => {
    const json = await archive.record(entry, ofId);
    return json && parseRecord(json);
  };
  for (const [at, entry] of builds.entries()) {
    const [before, now] = [ids[at - 1], ids[at]];
    if (now === undefined) continue;
    const { build, released_at, amended, amendments = [] } = entry;
    const line = (await archive.timeline(entry)).get(now);
    const changed: TimelineEntry | undefined = line && JSON.parse(String(line));
    const isRenumbered = before !== undefined && before !== now;
    if (changed || isRenumbered) {
      const {
        name = (await recordOf(entry, now))?.name ?? '',
        kind = 'changed',
        changes = [],
        folded,
      } = changed ?? {};
      timeline.push({
        ...{ name: String(name), build, released_at, kind },
        changes: isRenumbered ? [{ path: '/id', from: before, to: now }, ...changes] : changes,
        ...(folded && { folded }),
        ...(kind === 'added' && { record: await recordOf(entry, now) }),
      });
    }
    for (const [index, ref] of amendments.entries()) {
      const amendment = ref && (await archive.amendment(ref));
      const one = amendment?.characters.changed.find((each) => each.id === now);
      if (one)
        timeline.push({
          name: one.name,
          build,
          released_at,
          kind: 'amended',
          changes: one.changes,
          ...amended[index],
        });
    }
  }
  return timeline;
}

const MAX_FIELDS = 50;

export const seriesRoute = route({
  path: '/api/:game/history/:id/series',
  operationId: 'getSeries',
  summary: 'Attributes of a character in each build',
  description:
    'The values of some attributes in each build that has the character, oldest first, ready to plot. A build without the attribute has null. ' +
    'A character that was removed keeps its series.',
  isPro: true,
  parameters: [
    listParameter(
      'fields',
      `One to ${MAX_FIELDS} attributes of the full record, by dotted key and separated by commas.`,
      {
        required: true,
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_FIELDS },
        example: ['stats.atk', 'stats.hp'],
      },
    ),
  ],
  result: 'Series',
  hasRows: true,
  async handle(request, { archive }) {
    const game = findGame(request);
    const fields = readNames(request.query, 'fields', MAX_FIELDS, 'attributes');
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const records = await collectRecords(game.builds, id, archive);
    if (records.length === 0) throw await unknownInHistory(game, id, archive);
    checkFields(fields, game, records);
    const series = records.map(({ entry: { build, released_at }, record }) => {
      return { build, released_at, values: fields.map((key) => valueAt(record, key) ?? null) };
    });
    const rows: MemberRows<(typeof series)[number]> = {
      member: 'series',
      names: ['build', 'released_at', ...fields],
      cellsOf: ({ build, released_at, values }) => [build, released_at, ...values],
    };
    // An address with a suffix redirects to one with the same suffix.
    const suffix = /\.[a-z]+$/.exec(request.path)?.[0] ?? '';
    return {
      vary: 'Accept',
      isNamed: true,
      tag: game.historyTag,
      build: game.build,
      location: location && `${location}/series${suffix}`,
      body: () => ({ json: Buffer.from(JSON.stringify({ game: game.slug, id, fields, series })) }),
      rows,
    };
  },
});

/** A build, and the character's full record in it. */
interface RecordOfBuild {
  entry: BuildEntry;
  record: JsonObject;
}

/** Returns the character in the newest build that has it. */
async function newestRecord(builds: readonly BuildEntry[], id: string, archive: Archive) {
  const ids = idsOverTime(builds, id);
  for (let at = builds.length - 1; at >= 0; at--) {
    const [entry, now] = [builds[at], ids[at]];
    const json = entry && now !== undefined ? await archive.record(entry, now) : undefined;
    if (json) return parseRecord(json);
  }
  return undefined;
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
    // Consecutive builds that did not change it reference the same file.
    if (file !== last.file || now !== ids[at - 1]) {
      const json = now === undefined ? undefined : await archive.record(entry, now);
      last = { file, record: json && parseRecord(json) };
    }
    if (last.record) records.push({ entry, record: last.record });
  }
  return records;
}

/** @throws HttpProblem for an attribute that the character never had and that no character has now */
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
  throw invalidParameter(
    'fields',
    `${quote(unknown)} is not an attribute of these records${suggest(unknown, attributes)}`,
  );
}
