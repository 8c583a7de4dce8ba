import { setImmediate } from 'node:timers/promises';
import { splitAmendment } from '../../scripts/diff/diff-builds.ts';
import { countPages, pageOf, type TimelineEntry } from '../../scripts/diff/history.ts';
import { listChanges, replaceNames } from '../../scripts/diff/summary.ts';
import { type BuildEntry, eachAttribute, type JsonObject } from '../../scripts/format/dist-format.ts';
import type { Json } from '../../scripts/format/json.ts';
import { DAY_MS } from '../access/account.ts';
import { type Archive, NO_CHANGES } from '../data/archive.ts';
import { findGame } from '../data/catalog.ts';
import type { DiffForm } from '../data/diff-worker.ts';
import { tagOfDiff } from '../data/differ.ts';
import { CHARACTERS, type GameBuild, idsOverTime, tagOfGame } from '../data/game-build.ts';
import { readNames, readOne, readWhole, readWord, splitList, valuesOf } from '../http/incoming.ts';
import { HttpProblem, invalidParameter, quote, suggest } from '../http/problem.ts';
import { type Body, Joined } from '../http/respond.ts';
import { textAt } from '../query/collection.ts';
import { valueAt } from '../query/fields.ts';
import { MAX_RECORDS } from '../query/list-query.ts';
import { keptNameOf, translateValue } from '../query/translation.ts';
import { findBuild } from './downloads.ts';
import { pageLinks, readCode } from './lists.ts';
import { suggestId } from './records.ts';
import {
  type ApiRequest,
  LANG,
  listParameter,
  type MemberRows,
  pageParameters,
  parameter,
  readPage,
  route,
} from './route.ts';

const DEFAULT_LIMIT = 100;
const AMENDED = ['corrections', 'values'] as const;
const VIEWS = ['full', 'summary'] as const;
/** A gap of more than this many usual intervals means that builds are missing. */
const MISSING_AFTER = 1.5;

export const historyRoute = route({
  path: '/api/:game/history',
  operationId: 'listBuilds',
  summary: 'What each build changed, newest first',
  isPro: true,
  parameters: [
    ...pageParameters(MAX_RECORDS, DEFAULT_LIMIT, 'builds'),
    parameter('build', 'Only this build; `latest` is the newest.', { minLength: 1 }),
    parameter('page', 'With `build`: which of the `pages` of its lists.', { type: 'integer', minimum: 1 }),
    parameter(
      'amended',
      '`values`: corrections also list the values that changed with the model of the data.',
      { enum: AMENDED, default: 'corrections' },
    ),
    parameter('view', '`summary`: names and counts only.', { enum: VIEWS, default: 'full' }),
    listParameter('fields', 'With `view=summary`: only characters of which one of these attributes changed.'),
    LANG,
  ],
  result: 'History',
  problems: ['unknown-build'],
  handle(request, { archive }) {
    const game = findGame(request);
    const asked = readAsked(request, game, archive);
    const { isSummary, language } = asked;
    return {
      // Names in a language are today's.
      tag: historyTag(game, isSummary || language !== undefined),
      build: game.build,
      language,
      body: () => historyBody(request, asked),
    };
  },
});

const historyTag = (game: GameBuild, isNamed: boolean) =>
  isNamed ? `${game.historyTag} ${tagOfGame(game)}` : game.historyTag;

/** A parsed request: the builds, oldest first, and the requested page of each one's lists. */
type Asked = ReturnType<typeof readAsked>;

function readAsked({ query }: ApiRequest, game: GameBuild, archive: Archive) {
  const build = readOne(query, 'build');
  const page = readWhole(query, 'page', 1) ?? 1;
  if (page > 1 && build === undefined)
    throw invalidParameter('page', `page ${page} is of one build, expected "build" beside it`);
  const hasValues = readWord(query, 'amended', AMENDED) === 'values';
  const isSummary = readWord(query, 'view', VIEWS) === 'summary';
  const given = valuesOf(query, 'fields');
  if (given && !isSummary)
    throw invalidParameter('fields', 'fields is for summaries, expected "view=summary" beside it');
  const fields = given && splitList('fields', given);
  const known = game.dictionary.of(CHARACTERS).attributes.map(({ key }) => key);
  const unknown = fields?.find((field) => !known.some((key) => `${key}.`.startsWith(`${field}.`)));
  if (unknown !== undefined) throw unknownField(unknown, known);
  const { code, language } = readCode(query, game.languages);
  return {
    game,
    archive,
    page,
    fields,
    hasValues,
    isSummary,
    code,
    language,
    builds: build === undefined ? game.builds : [findBuild(game, build)],
    ...readPage(query, MAX_RECORDS, DEFAULT_LIMIT),
    nameIn: code === undefined ? undefined : namesIn(game, code),
  };
}

async function historyBody(request: ApiRequest, asked: Asked): Promise<Body> {
  const { game, builds, limit, offset, isSummary } = asked;
  const total = builds.length;
  const shown = builds.toReversed().slice(offset, offset + limit);
  const items: Buffer[] = [];
  for (const entry of shown) {
    if (asked.nameIn) await setImmediate();
    items.push(await (isSummary ? summariseBuild(entry, asked) : describeBuild(entry, asked)));
  }
  const { withdrawn } = game;
  const last = withdrawn.length > 0 ? `],"withdrawn":${JSON.stringify(withdrawn)}}` : ']}';
  const head = JSON.stringify({ game: game.slug, total, count: shown.length }).slice(0, -1);
  return {
    json: new Joined(`${head},"builds":[`, items, last),
    links: pageLinks(request, total, shown.length, offset, limit),
  };
}

/** Returns the previous build. If builds are missing after it, it is also `since`: what is new came after that build. */
function previousOf({ builds, cadence_days = Number.POSITIVE_INFINITY }: GameBuild, entry: BuildEntry) {
  const before = builds[builds.indexOf(entry) - 1];
  if (before === undefined) return { previous: null };
  const days = (Date.parse(entry.released_at) - Date.parse(before.released_at)) / DAY_MS;
  const isMissing = days >= MISSING_AFTER * cadence_days && !isNext(before.build, entry.build);
  return { previous: before.build, ...(isMissing && { since: before.build }) };
}

/** Whether a version or set is the next one by its name, as 6.5 after 6.4, A1a after A1 and A1b after A1a; a name with a day never is. */
function isNext(before: string, name: string): boolean {
  const [, stem = '', last = ''] = /^(.*?)(\d{1,3}|[a-z])$/.exec(name) ?? [];
  const letter = last === 'a' ? '' : String.fromCharCode(last.charCodeAt(0) - 1);
  const previous = /\d/.test(last) ? String(Number(last) - 1) : letter;
  return !/\d{4}/.test(name) && stem + previous === before;
}

/** The names and counts of a build's changes. */
async function summariseBuild(entry: BuildEntry, { game, archive, nameIn, fields }: Asked): Promise<Buffer> {
  const { build, released_at, note } = entry;
  const limits = await limitsOf(entry, game.builds[game.builds.indexOf(entry) - 1], archive);
  const listed = listChanges(JSON.parse(`{${await archive.history(entry)}}`), fields);
  const changes = nameIn ? replaceNames(listed, nameIn) : listed;
  const head = { build, released_at, ...previousOf(game, entry), ...(limits.length > 0 && { limits }), note };
  return Buffer.from(JSON.stringify({ ...head, ...changes }));
}

/** The changes of a build in full, after what the manifest and its amendments say. */
async function describeBuild(entry: BuildEntry, asked: Asked): Promise<Buffer> {
  const { game, archive, page, hasValues, code, nameIn } = asked;
  const { build, released_at, released_in, carried_from, note, snapshot, history_pages = [] } = entry;
  const amended = await describeAmendments(entry, asked);
  const pages = Math.max(1 + history_pages.length, ...amended.map((each) => each.pages));
  const next = `/api/${game.slug}/history?build=${build}&page=${page + 1}${hasValues ? '&amended=values' : ''}${code ? `&lang=${code}` : ''}`;
  const head = JSON.stringify({
    build,
    released_at,
    released_in,
    ...previousOf(game, entry),
    carried_from,
    note,
    amended: amended.map(({ pages: _, ...each }) => each),
    snapshot: { bytes: snapshot.bytes, sha256: snapshot.sha256 },
    ...(pages > 1 && { pages }),
    ...(page < pages && { next }),
  });
  const changes = await archive.history(entry, page);
  const named = nameIn && JSON.stringify(replaceNames(JSON.parse(`{${changes}}`), nameIn)).slice(1, -1);
  const members = named === undefined ? changes : Buffer.from(named);
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},`), members, Buffer.from('}')]);
}

/** Returns the corrections of a build, each with a page of its changes if they are known, and the number of pages. */
async function describeAmendments(entry: BuildEntry, { page, hasValues, archive }: Asked) {
  const { amended, amendments = [] } = entry;
  return await Promise.all(
    amended.map(async ({ at, reason }, index) => {
      const ref = amendments[index];
      if (!ref) return { at, reason, pages: 1 };
      const all = await archive.amendment(ref);
      const { corrections, model } = splitAmendment(all, entry);
      const changes = hasValues ? all : corrections;
      const shown = { at, reason, changes: pageOf(changes, page), pages: countPages(changes) };
      return { ...shown, ...(model.length > 0 && { model }) };
    }),
  );
}

/** Returns the names that records of the newest build have in a language. */
function namesIn({ roster, datasets }: GameBuild, language: string) {
  return (collection: string, id: string): string | undefined => {
    const dataset = datasets.get(collection);
    const list = collection === CHARACTERS ? roster : dataset?.kind === 'list' ? dataset.list : undefined;
    return list && textAt(list, list.rowOfId?.get(id) ?? -1, `name_${language}`);
  };
}

const SKILLS = /(?:skill|talent|abilit|noble_phantasm|attack)\w*\..*(?:effect|action|power|damage)/;

/** Lists what the changes of a build cannot tell, so that readers do not take it for "none". */
async function limitsOf(entry: BuildEntry, before: BuildEntry | undefined, archive: Archive) {
  const hasSkills = async ({ attributes: ref }: BuildEntry) =>
    Object.entries(await archive.attributes(ref)).some(([of, { attributes }]) =>
      attributes.some(({ key, count }) => count > 0 && SKILLS.test(`${of}.${key}`)),
    );
  const limits = Object.entries({ ...entry.carried_from, ...entry.as_of }).map(
    ([key, of]) => `${key} are those of ${of}: later changes are not known`,
  );
  if (!(await hasSkills(entry))) limits.unshift('skills are not part of this data');
  else if (before && !(await hasSkills(before)))
    limits.unshift('skills are part of this data from here on: their changes are not known');
  return limits;
}

export const timelineRoute = route({
  path: '/api/:game/history/:id',
  operationId: 'getTimeline',
  summary: 'What each build changed in a character, oldest first',
  isPro: true,
  parameters: [LANG],
  result: 'Timeline',
  async handle(request, { archive }) {
    const game = findGame(request);
    const { slug, build, builds, languages } = game;
    const { code, language } = readCode(request.query, languages);
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const entries = await collectTimeline(builds, id, archive);
    const newest = entries.at(-1);
    if (newest === undefined) throw unknownInHistory(game, id);
    const translate = (record: JsonObject | undefined) =>
      record && code ? translateValue(record, code, keptNameOf(code, languages.own)) : record;
    const timeline = entries.map(({ name: _, record, ...entry }) => ({
      ...entry,
      record: translate(record),
    }));
    const name = (code && namesIn(game, code)(CHARACTERS, id)) ?? newest.name;
    return {
      tag: historyTag(game, code !== undefined),
      build,
      language,
      location,
      body: () => ({ json: Buffer.from(JSON.stringify({ game: slug, id, name, timeline })) }),
    };
  },
});

/** The id under which a character's history is stored: the current one if it was renumbered. `location` is its address. */
function findHistoricId(game: GameBuild, id: string): { id: string; location?: string } {
  const current = game.roster.rowOfId?.has(id) ? undefined : game.currentIds.get(CHARACTERS)?.get(id);
  if (current === undefined) return { id };
  return { id: current, location: `/api/${game.slug}/history/${encodeURIComponent(current)}` };
}

/** The error for an id that no build of the game has had. */
function unknownInHistory({ slug, roster }: GameBuild, id: string): HttpProblem {
  const detail = `${slug} never had a character with the id ${quote(id)}${suggestId(id, roster)}`;
  return new HttpProblem('unknown-character', detail);
}

/** A change of a character, with its name at that time; `at` and `reason` only for `amended`. */
interface Entry extends Omit<TimelineEntry, 'id' | 'kind'>, Partial<BuildEntry['amended'][number]> {
  build: string;
  released_at: string;
  kind: TimelineEntry['kind'] | 'amended';
  /** The full record at that time; only in the build that added the character. */
  record?: JsonObject | undefined;
}

async function collectTimeline(builds: readonly BuildEntry[], id: string, archive: Archive) {
  const timeline: Entry[] = [];
  const ids = idsOverTime(builds, id);
  for (const [at, entry] of builds.entries()) {
    const [before, now] = [ids[at - 1], ids[at]];
    if (now === undefined) continue;
    const { build, released_at, amended, amendments = [] } = entry;
    const line = (await archive.timeline(entry)).get(now);
    const changed: TimelineEntry | undefined = line && JSON.parse(String(line));
    const isRenumbered = before !== undefined && before !== now;
    if (changed || isRenumbered) {
      const { kind = 'changed', changes = [], folded } = changed ?? {};
      const record = changed && kind !== 'added' ? undefined : await archive.record(entry, now);
      timeline.push({
        name: String(changed?.name ?? record?.name ?? ''),
        build,
        released_at,
        kind,
        changes: isRenumbered ? [{ path: '/id', from: before, to: now }, ...changes] : changes,
        ...(folded && { folded }),
        ...(kind === 'added' && { record }),
      });
    }
    for (const [index, ref] of amendments.entries()) {
      const { characters } = ref ? await archive.amendment(ref) : {};
      const one = characters?.changed.find((each) => each.id === now);
      if (one === undefined) continue;
      const { name, changes } = one;
      timeline.push({ name, build, released_at, kind: 'amended', changes, ...amended[index] });
    }
  }
  return timeline;
}

function unknownField(key: string, known: Iterable<string>): HttpProblem {
  const fault = `${quote(key)} is not an attribute of these records${suggest(key, known)}`;
  return invalidParameter('fields', fault);
}

const MAX_FIELDS = 50;
const SERIES_FIELDS = { required: true, example: ['stats.atk', 'stats.hp'] };

export const seriesRoute = route({
  path: '/api/:game/history/:id/series',
  operationId: 'getSeries',
  summary: 'Attributes of a character in each build',
  isPro: true,
  parameters: [
    listParameter('fields', 'Attributes of the full record, by dotted key.', SERIES_FIELDS, {
      minItems: 1,
      maxItems: MAX_FIELDS,
    }),
  ],
  result: 'Series',
  hasRows: true,
  async handle(request, { archive }) {
    const game = findGame(request);
    const fields = readNames(request.query, 'fields', MAX_FIELDS, 'attributes');
    const { id, location } = findHistoricId(game, request.params.id ?? '');
    const known = new Set(game.roster.attributes);
    const series: { build: string; released_at: string; values: Json[] }[] = [];
    for (const [at, now] of idsOverTime(game.builds, id).entries()) {
      const entry = game.builds[at] as BuildEntry;
      const record = now === undefined ? undefined : await archive.record(entry, now);
      if (record === undefined) continue;
      eachAttribute(record, (key) => known.add(key));
      const { build, released_at } = entry;
      series.push({ build, released_at, values: fields.map((key) => valueAt(record, key) ?? null) });
    }
    if (series.length === 0) throw unknownInHistory(game, id);
    const unknown = fields.find((key) => !known.has(key));
    if (unknown !== undefined) throw unknownField(unknown, known);
    const rows: MemberRows<(typeof series)[number]> = {
      member: 'series',
      names: ['build', 'released_at', ...fields],
      cellsOf: ({ build, released_at, values }) => [build, released_at, ...values],
    };
    // An address with a suffix redirects to one with the same suffix.
    const suffix = /\.[a-z]+$/.exec(request.path)?.[0] ?? '';
    return {
      tag: game.historyTag,
      build: game.build,
      location: location && `${location}/series${suffix}`,
      body: () => ({ json: Buffer.from(JSON.stringify({ game: game.slug, id, fields, series })) }),
      rows,
    };
  },
});

const JSON_PATCH = 'application/json-patch+json';

export const diffRoute = route({
  path: '/api/:game/diff',
  operationId: 'compareBuilds',
  summary: 'The differences between two builds, or with `Accept` a JSON Patch (RFC 6902)',
  isPro: true,
  parameters: [
    parameter('from', 'A build, or `latest`.', { minLength: 1 }, { required: true }),
    parameter('to', 'A build, or `latest`.', { minLength: 1 }, { required: true }),
    LANG,
  ],
  result: 'Diff',
  alternatives: { [JSON_PATCH]: 'Patch' },
  problems: ['unknown-build'],
  handle({ query, view, form: asked, params, account }, { archive }) {
    const game = findGame({ view, params });
    const names = ['from', 'to'].map((name) => {
      const build = readOne(query, name);
      if (build !== undefined) return build;
      throw invalidParameter(name, `${name} is missing, expected one build`);
    });
    const [from, to] = names.map((name) => findBuild(game, name)) as [BuildEntry, BuildEntry];
    const form: DiffForm = asked === JSON_PATCH ? 'patch' : 'diff';
    const read = readCode(query, game.languages);
    const { code, language } = form === 'diff' ? read : {};
    return {
      // Names in a language are today's.
      tag: `${tagOfDiff(game, from, to)}${code ? ` ${tagOfGame(game)}` : ''}`,
      build: to.build,
      language,
      ...(form === 'patch' && { type: JSON_PATCH }),
      async body() {
        if (from === to) {
          const head = JSON.stringify({ game: game.slug, from: to.build, to: to.build }).slice(0, -1);
          return { json: Buffer.from(form === 'patch' ? '[]' : `${head},${NO_CHANGES}}`) };
        }
        const json = await archive.diff(game, from, to, { form, account });
        if (code === undefined) return { json };
        const diff = replaceNames(JSON.parse(String(json)), namesIn(game, code));
        return { json: Buffer.from(JSON.stringify(diff)) };
      },
    };
  },
});
