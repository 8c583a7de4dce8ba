import { setImmediate } from 'node:timers/promises';
import { recordCounts, splitAmendment } from '../../scripts/diff/diff-builds.ts';
import { countPages, MAX_MEMBERS, pageOf } from '../../scripts/diff/history.ts';
import { listChanges, replaceNames } from '../../scripts/diff/summary.ts';
import { type BuildEntry, parseRecord } from '../../scripts/format/dist-format.ts';
import { type Archive, NO_CHANGES } from '../data/archive.ts';
import { findGame } from '../data/catalog.ts';
import type { DiffForm } from '../data/diff-worker.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { prefersType, readOne, readWhole, readWord } from '../http/incoming.ts';
import { invalidParameter } from '../http/problem.ts';
import { type Body, Joined } from '../http/respond.ts';
import { MAX_RECORDS } from '../query/list-query.ts';
import { languageTag, readOptionalLanguage } from '../query/translation.ts';
import { findBuild } from './downloads.ts';
import { pageLinks } from './lists.ts';
import { type ApiRequest, LANG, listParameter, type QueryParameter, route } from './route.ts';

const DEFAULT_LIMIT = 100;
const AMENDED = ['corrections', 'values'] as const;
const VIEWS = ['full', 'summary'] as const;
/** A gap of more than this many usual intervals means that builds are missing. */
const MISSING_AFTER = 1.5;
const DAY_MS = 86_400_000;
const END = Buffer.from('}');

export const historyRoute = route({
  path: '/api/:game/history',
  operationId: 'listBuilds',
  summary: 'What each build changed',
  description:
    'The released builds of a game, newest first, in pages. Each lists the characters that it added, removed and changed, by name and ' +
    'attribute, and the same for datasets by id. What the whole list gained or lost because the data changed, and not the game, is in ' +
    '`attributes`. Each build also lists its corrections after the release, with their reasons and what they changed, value by value; what they changed in the model of the data, in many records at once, is in `model`, one line for each attribute; the times of regions where the release differs, if they are known; and the size and SHA-256 of its snapshot as plain JSON. ' +
    `A list of more than ${MAX_MEMBERS} members is divided into pages: the item has \`pages\`, and \`next\` with the address of the next one.`,
  isPro: true,
  parameters: [
    {
      name: 'limit',
      description: `The size of a page, 0 to ${MAX_RECORDS}.`,
      schema: { type: 'integer', minimum: 0, maximum: MAX_RECORDS, default: DEFAULT_LIMIT },
    },
    {
      name: 'offset',
      description: 'How many builds to skip before the page.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    },
    {
      name: 'build',
      description: 'Only this build; `latest` is the newest.',
      schema: { type: 'string', minLength: 1 },
    },
    {
      name: 'page',
      description: `With \`build\`: which page of its lists, of ${MAX_MEMBERS} members each. Its \`pages\` says how many there are.`,
      schema: { type: 'integer', minimum: 1, default: 1 },
    },
    {
      name: 'amended',
      description:
        'What `changes` of a correction has: `corrections` only what was wrong, so that a change of the model of the data is one line of `model` for each attribute; `values` every value.',
      schema: { type: 'string', enum: AMENDED, default: 'corrections' },
    },
    {
      name: 'view',
      description:
        'With `summary`, each build has names and counts only: what is new, buffs, nerfs, what else changed, what was removed, and how much the game did not change; and `limits` says what the data does not hold.',
      schema: { type: 'string', enum: VIEWS, default: 'full' },
    },
    listParameter(
      'fields',
      'With `view=summary`: only characters of which one of these attributes changed, such as `stats`.',
    ),
    LANG,
  ],
  result: 'History',
  problems: ['unknown-build'],
  handle(request, { archive }) {
    const game = findGame(request);
    const asked = readAsked(request, game, archive);
    const { historyTag, build, tag } = game;
    const { isSummary, language } = asked;
    return {
      // Names in a language are today's.
      tag: isSummary || language ? `${historyTag} ${tag}` : historyTag,
      build,
      language: language && languageTag(language),
      body: () => historyBody(request, asked),
    };
  },
});

/** A parsed request: the builds, oldest first, and the requested page of each one's lists. */
type Asked = ReturnType<typeof readAsked>;

function readAsked({ query }: ApiRequest, game: GameBuild, archive: Archive) {
  const build = readOne(query, 'build');
  const page = readWhole(query, 'page', 1) ?? 1;
  if (page > 1 && build === undefined)
    throw invalidParameter('page', `page ${page} is of one build, expected "build" beside it`);
  const hasValues = readWord(query, 'amended', AMENDED) === 'values';
  const isSummary = readWord(query, 'view', VIEWS) === 'summary';
  const fields = readOne(query, 'fields');
  if (fields !== undefined && !isSummary)
    throw invalidParameter('fields', 'fields is for summaries, expected "view=summary" beside it');
  const language = readOptionalLanguage(query, game.languages);
  return {
    ...{ game, archive, page, hasValues, isSummary },
    builds: build === undefined ? game.builds : [findBuild(game, build)],
    limit: readWhole(query, 'limit', 0, MAX_RECORDS) ?? DEFAULT_LIMIT,
    offset: readWhole(query, 'offset', 0) ?? 0,
    ...{ language, nameIn: language === undefined ? undefined : namesIn(game, language) },
    fields: fields?.split(','),
  };
}

async function historyBody(request: ApiRequest, asked: Asked): Promise<Body> {
  const { game, builds, limit, offset, isSummary } = asked;
  const { slug, withdrawn } = game;
  const total = builds.length;
  const shown = builds.toReversed().slice(offset, offset + limit);
  const items: Buffer[] = [];
  for (const entry of shown) {
    if (asked.nameIn) await setImmediate();
    if (isSummary) items.push(Buffer.from(JSON.stringify(await summariseBuild(entry, asked))));
    else items.push(Buffer.concat([await describeBuild(entry, asked), await readChanges(entry, asked), END]));
  }
  const limits = isSummary ? limitsOf(game) : [];
  const last = JSON.stringify({
    ...(withdrawn.length > 0 && { withdrawn }),
    ...(limits.length > 0 && { limits }),
  });
  const head = JSON.stringify({ game: slug, total, count: shown.length }).slice(0, -1);
  return {
    json: new Joined(`${head},"builds":[`, items, last === '{}' ? ']}' : `],${last.slice(1)}`),
    links: pageLinks(request, total, shown.length, offset, limit),
  };
}

/** Returns the previous build. If builds are missing after it, it is also `since`: what is new came after that build. */
function previousOf({ builds, cadence_days = Number.POSITIVE_INFINITY }: GameBuild, entry: BuildEntry) {
  const before = builds[builds.indexOf(entry) - 1];
  if (before === undefined) return { previous: null };
  const days = (Date.parse(entry.released_at) - Date.parse(before.released_at)) / DAY_MS;
  return { previous: before.build, ...(days >= MISSING_AFTER * cadence_days && { since: before.build }) };
}

/** The names and counts of a build's changes. */
async function summariseBuild(entry: BuildEntry, { game, archive, nameIn, fields }: Asked) {
  const { build, released_at, note } = entry;
  const listed = listChanges(JSON.parse(`{${await archive.history(entry)}}`), fields);
  return {
    ...{ build, released_at, ...previousOf(game, entry), note },
    ...(nameIn ? replaceNames(listed, nameIn) : listed),
  };
}

/** The changes of a build in full, without braces around them. */
async function readChanges(entry: BuildEntry, { archive, page, nameIn }: Asked): Promise<Buffer> {
  const changes = await archive.history(entry, page);
  if (nameIn === undefined) return changes;
  return Buffer.from(JSON.stringify(replaceNames(JSON.parse(`{${changes}}`), nameIn)).slice(1, -1));
}

/** Returns the names that records of the newest build have in a language. */
function namesIn({ roster, datasets }: GameBuild, language: string) {
  const known = new Map<string, string | undefined>();
  const find = (collection: string, id: string): string | undefined => {
    const dataset = datasets.get(collection);
    const list = collection === CHARACTERS ? roster : dataset?.kind === 'list' ? dataset.list : undefined;
    const row = list?.rowOfId?.get(id);
    const record = typeof row === 'number' ? list?.fullRecords[row] : undefined;
    const name = record && parseRecord(record)[`name_${language}`];
    return typeof name === 'string' ? name : undefined;
  };
  return (collection: string, id: string): string | undefined => {
    const key = `${collection} ${id}`;
    if (!known.has(key)) known.set(key, find(collection, id));
    return known.get(key);
  };
}

/** Lists what readers may look for but the data does not contain, so that they do not take it for "none". */
function limitsOf(game: GameBuild): string[] {
  const keys = [...game.dictionary.of(CHARACTERS).attributes.map(({ key }) => key), ...game.datasets.keys()];
  return keys.some((key) => /skill|talent|abilit|noble_phantasm/.test(key))
    ? []
    : ['skills are not part of this data'];
}

/** Returns the members that come from the manifest and from amendments, followed by a comma. */
async function describeBuild(entry: BuildEntry, asked: Asked): Promise<Buffer> {
  const { game, page, hasValues, language } = asked;
  const { build, released_at, released_in, carried_from, note, snapshot, history_pages = [] } = entry;
  const amended = await describeAmendments(entry, asked);
  const pages = Math.max(1 + history_pages.length, ...amended.map((each) => each.pages));
  const next = `/api/${game.slug}/history?build=${build}&page=${page + 1}${hasValues ? '&amended=values' : ''}${language ? `&lang=${language}` : ''}`;
  const head = {
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
  };
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},`);
}

/** Returns the corrections of a build, each with a page of its changes if they are known, and the number of pages. */
async function describeAmendments(entry: BuildEntry, { page, hasValues, archive }: Asked) {
  const { amended, amendments = [] } = entry;
  return await Promise.all(
    amended.map(async ({ at, reason }, index) => {
      const ref = amendments[index];
      if (!ref) return { at, reason, pages: 1 };
      const all = await archive.amendment(ref);
      const { corrections, model } = splitAmendment(all, recordCounts(entry));
      const changes = hasValues ? all : corrections;
      const shown = { at, reason, changes: pageOf(changes, page), pages: countPages(changes) };
      return { ...shown, ...(model.length > 0 && { model }) };
    }),
  );
}

const JSON_PATCH = 'application/json-patch+json';

function buildParameter(name: string, description: string): QueryParameter {
  return { name, description, required: true, schema: { type: 'string', minLength: 1 } };
}

export const diffRoute = route({
  path: '/api/:game/diff',
  operationId: 'compareBuilds',
  summary: 'The differences between two builds',
  description:
    'Any two builds of a game, in either direction: which characters and records of datasets were added, removed and changed, with every ' +
    'value before and after. Attributes that a whole list gained or lost are listed once, in `attributes`. With `Accept: application/json-patch+json` a JSON Patch (RFC 6902) which, applied to the snapshot of `from`, ' +
    'gives a document equal to the snapshot of `to`.',
  isPro: true,
  parameters: [
    buildParameter('from', 'The build to start from; `latest` is the newest.'),
    buildParameter('to', 'The build to end at; it may be the older one. `latest` is the newest.'),
    LANG,
  ],
  result: 'Diff',
  alternatives: { [JSON_PATCH]: 'Patch' },
  problems: ['unknown-build'],
  handle({ query, view, accept, params, account }, { archive }) {
    const game = findGame({ view, params });
    const read = (name: string) => {
      const build = readOne(query, name);
      if (build === undefined) throw invalidParameter(name, `${name} is missing, expected one build`);
      return build;
    };
    const names = [read('from'), read('to')] as const;
    const from = findBuild(game, names[0]);
    const to = findBuild(game, names[1]);
    const form: DiffForm = prefersType(accept, JSON_PATCH) ? 'patch' : 'diff';
    const language = form === 'diff' ? readOptionalLanguage(query, game.languages) : undefined;
    return {
      tag: `${from.snapshot.sha256} ${to.snapshot.sha256}`,
      build: to.build,
      language: language && languageTag(language),
      vary: 'Accept',
      ...(form === 'patch' && { type: JSON_PATCH }),
      async body() {
        if (from !== to) return { json: await archive.diff(game, from, to, { form, language, account }) };
        const head = JSON.stringify({ game: game.slug, from: to.build, to: to.build }).slice(0, -1);
        return { json: Buffer.from(form === 'patch' ? '[]' : `${head},${NO_CHANGES}}`) };
      },
    };
  },
});
