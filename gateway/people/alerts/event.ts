// Events: occurrences in games, derived from dist/, with their changes in the form that every channel sends. `createRaiser` writes them into the store.
import { createHash } from 'node:crypto';
import {
  type AmendmentChanges,
  type ChangedRecord,
  type DatasetDiff,
  splitAmendment,
} from '../../../scripts/diff/diff-builds.ts';
import {
  type BuildHistory,
  countRecords,
  type RecordCounts,
  summarise,
} from '../../../scripts/diff/summary.ts';
import type { AttributeDictionary, AttributeKind } from '../../../scripts/format/attributes.ts';
import { listReader, type ReadFile } from '../../../scripts/format/build-content.ts';
import type { Amendment, BuildEntry, FileRef, Withdrawal } from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import type { Catalog } from '../../data/catalog.ts';
import { readDistFile } from '../../data/dist-files.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { readMeta, setMeta } from '../../store/open.ts';
import type { Sql, Store } from '../../store/sql.ts';
import type { Needs } from '../people.ts';
import { ALL_GAMES, NEW_GAMES } from './channels.ts';

/** Added: a new game. Released: a further build. Amended: a correction of builds. Withdrawn: a build that was removed. */
type EventType = 'game.added' | 'build.released' | 'build.amended' | 'build.withdrawn';

/** A game with all its builds. */
export type GameBuilds = Pick<GameBuild, 'slug' | 'title' | 'builds' | 'withdrawn'>;

/** An occurrence in a game at a certain time. */
export interface Occurrence {
  /** A UUID derived from the content, so that every gateway computes the same one. */
  id: string;
  type: EventType;
  /** When the change becomes visible to Pro, ms since 1970. */
  due: number;
  /** The names of the builds, oldest first: several only if one correction changed them; and the newest of them. */
  builds: string[];
  newest: BuildEntry | Withdrawal;
  /** When and why a build was corrected or withdrawn. */
  cause: Amendment | undefined;
}

/**
 * Lists all occurrences of a game, including those of embargoed builds. The first build adds the game; each later one is a release. Builds that were
 * corrected at the same time for the same reason are one correction.
 */
export function occurrencesOf({ slug, builds, withdrawn }: GameBuilds): Occurrence[] {
  const found = new Map<string, Occurrence>();
  const add = (type: EventType, newest: Occurrence['newest'], name: string[], cause?: Amendment) => {
    // A correction before the release of a build becomes visible together with the release.
    const due = Math.max(Date.parse(newest.released_at), cause ? Date.parse(cause.at) : 0);
    const parts = type === 'build.amended' ? [...name, new Date(due).toISOString()] : name;
    const id = makeId(type, slug, ...parts);
    const names = [...(found.get(id)?.builds ?? []), newest.build];
    found.set(id, { id, type, due, builds: names, newest, cause });
  };
  for (const [index, entry] of builds.entries()) {
    if (index === 0) add('game.added', entry, ['']);
    else add('build.released', entry, [entry.build]);
    for (const cause of entry.amended) add('build.amended', entry, [cause.at, cause.reason], cause);
  }
  for (const each of withdrawn) add('build.withdrawn', each, [each.build, each.at], each);
  return [...found.values()].sort((a, b) => a.due - b.due);
}

/** Makes a UUID of version 8 (RFC 9562, 5.8) from a SHA-256. */
function makeId(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8(0x80 | (hash.readUInt8(6) & 0x0f), 6);
  hash.writeUInt8(0x80 | (hash.readUInt8(8) & 0x3f), 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The length of a list, and as many of its first elements as fit. */
export interface CutList<T> {
  count: number;
  first: readonly T[];
}

type Named = Record<'id' | 'name', string>;

/** A number that changed. Without a name it is that of a dataset without ids, or of a record without a name. */
export interface NumberChange {
  /** `characters`, or the key of a dataset. */
  collection: string;
  id?: string | undefined;
  name?: string | undefined;
  /** A JSON Pointer into the record or the dataset. */
  path: string;
  /** From the attribute dictionary. */
  label?: string | undefined;
  unit?: string | undefined;
  from: number;
  to: number;
}

/** The changes of a build or correction. */
interface Changes {
  characters: Record<'added' | 'removed' | 'changed', CutList<Named>> & {
    attributes?: Record<'gained' | 'lost', CutList<string>>;
  };
  datasets: CutList<RecordCounts & { key: string }>;
  /** The numbers that changed most; only if there are any. */
  largest?: readonly NumberChange[];
}

/** An event as every channel sends it, in the form that Standard Webhooks recommends. */
export interface GameEvent {
  id: string;
  type: EventType | 'alerts.test';
  /** When the change became visible to Pro, ISO 8601 UTC. */
  timestamp: string;
  /** The changes are absent if they are not known, as those of a withdrawn build. */
  data: Partial<Changes> & {
    game: string;
    title: string;
    /** Of a correction, the newest of `builds`; its changes are those of this build. */
    build: string;
    released_at: string;
    note: string | null;
    amended_at?: string;
    withdrawn_at?: string;
    reason?: string;
    builds?: CutList<string>;
  };
}

/** The maximum size of an event as JSON. */
export const MAX_EVENT_BYTES = 20_000;
/** The maximum number of entries of each list in an event, and of numbers that changed most. */
const MAX_LISTED = 100;
const MAX_LARGEST = 20;
const MAX_TEXT_CHARS = 300;

/** Describes an occurrence as an event. Long lists and texts are cut, so that the event has at most `MAX_EVENT_BYTES`. */
export async function describeOccurrence(
  { id, type, due, builds, newest, cause }: Occurrence,
  { slug, title }: Pick<GameBuilds, 'slug' | 'title'>,
  read: ReadFile,
): Promise<GameEvent> {
  const describe = type === 'game.added' ? summariseFirst : summariseBuild;
  const summary = 'history' in newest ? await describe(newest, read, cause) : undefined;
  const { build, released_at } = newest;
  const about = { game: slug, title, build, released_at, note: ('note' in newest && newest.note) || null };
  const at = type === 'build.amended' ? 'amended_at' : 'withdrawn_at';
  for (let limit = MAX_LISTED; ; limit = Math.floor(limit / 2)) {
    const data = {
      ...about,
      ...(cause && { [at]: cause.at, reason: cause.reason }),
      ...(type === 'build.amended' && { builds: cutList(builds, limit) }),
      ...(summary && cutSummary(summary, limit)),
    };
    const event = { id, type, timestamp: new Date(due).toISOString(), data };
    const text = JSON.stringify(event, (_, value) => (typeof value === 'string' ? shorten(value) : value));
    if (limit === 0 || Buffer.byteLength(text) < MAX_EVENT_BYTES) return JSON.parse(text) as GameEvent;
  }
}

/** Makes an event without content. Account holders send it to themselves to test their alerts. */
export function makeTestEvent(id: string, now: number): GameEvent {
  const time = new Date(now).toISOString();
  const none = { count: 0, first: [] };
  const note = 'This is a test. No game has changed.';
  const about = { game: 'test', title: 'Test', build: 'test', released_at: time, note };
  const changes = { characters: { added: none, removed: none, changed: none }, datasets: none };
  return { id, type: 'alerts.test', timestamp: time, data: { ...about, ...changes } };
}

type Summary = Pick<BuildHistory, 'characters' | 'datasets'> & { largest?: NumberChange[] };

/** Summarises a build in which everything is new. */
async function summariseFirst(entry: BuildEntry, read: ReadFile): Promise<Summary> {
  const roster = await listReader(entry, read)(entry.roster);
  const all = JSON.parse(roster.toString()) as Named[];
  const none = { added: [], removed: [], changed: [] };
  const datasets = entry.datasets.map(({ key, count }) => [key, { ...none, counts: { added: count } }]);
  return { characters: { ...none, added: all }, datasets: Object.fromEntries(datasets) };
}

/** Summarises the changes of a build, or what a correction did to it; undefined if that is not known. */
async function summariseBuild(
  entry: BuildEntry,
  read: ReadFile,
  cause: Amendment | undefined,
): Promise<Summary | undefined> {
  const readJson = async <T>(ref: FileRef) => JSON.parse((await read(ref)).toString()) as T;
  const { attributes, build, diff, history } = entry;
  if (!cause && !diff) return await readJson<BuildHistory>(history);
  const correction = entry.amended.findIndex(({ at, reason }) => at === cause?.at && reason === cause.reason);
  const ref = cause ? entry.amendments?.[correction] : diff;
  if (!ref) return undefined;
  const all = await readJson<AmendmentChanges>(ref);
  // Changes of the mapping are left out; the history lists them by attribute.
  const changes = cause ? splitAmendment(all, entry).corrections : all;
  const dictionary = attributes ? await readJson<AttributeDictionary>(attributes) : {};
  const summary = summarise({ game: '', from: '', to: build, ...changes }, dictionary);
  return { ...summary, largest: findLargest(changes, dictionary) };
}

/** Shortens the lists of a summary. */
function cutSummary({ characters, datasets, largest = [] }: Summary, limit: number): Changes {
  const { attributes, counts = {} } = characters;
  const names = (kind: 'added' | 'removed' | 'changed') => {
    const all = characters[kind].map(({ id, name }: Named) => ({ id, name }));
    return cutList(all, limit, counts[kind]);
  };
  const counted = Object.entries(datasets).map(([key, each]) => ({ key, ...countRecords(each) }));
  return {
    characters: {
      added: names('added'),
      removed: names('removed'),
      changed: names('changed'),
      ...(attributes && {
        attributes: { gained: cutList(attributes.gained, limit), lost: cutList(attributes.lost, limit) },
      }),
    },
    datasets: cutList(counted, limit),
    ...(largest.length > 0 && limit > 0 && { largest: largest.slice(0, limit) }),
  };
}

function cutList<T>(list: readonly T[], limit: number, count = list.length): CutList<T> {
  return { count, first: list.slice(0, limit) };
}

/** Makes a text one line, without the characters that XML 1.0 does not allow, and shortens it. */
function shorten(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  if (line.length <= MAX_TEXT_CHARS) return line;
  return `${line.slice(0, MAX_TEXT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

type AnyDiff = DatasetDiff | AmendmentChanges['characters'];

/** Kinds of attributes whose numbers are not quantities. */
const NOT_MEASURED: readonly (AttributeKind | undefined)[] = ['id', 'reference', 'date', 'color', 'image'];

/**
 * Finds the numbers that changed most, by the relative difference, so that attributes of any unit can be compared. Only the largest change of each
 * attribute of a record is listed: a level table is one attribute.
 */
function findLargest(
  { characters, datasets }: AmendmentChanges,
  dictionary: AttributeDictionary,
): NumberChange[] {
  const found: (NumberChange & { key: string })[] = [];
  for (const [collection, diff] of Object.entries<AnyDiff>({ characters, ...datasets })) {
    const attributes = new Map(dictionary[collection]?.attributes.map((each) => [each.key, each]));
    const records: Partial<ChangedRecord>[] = 'changes' in diff ? [diff] : diff.changed;
    for (const { id, name, changes = [] } of records) {
      for (const { path, from, to } of changes) {
        if (typeof from !== 'number' || typeof to !== 'number') continue;
        // Positions in lists are not part of the key.
        const steps = pointerSteps(path).filter((step) => !/^\d+$/.test(step));
        const { kind, label, unit } = attributes.get(steps.join('.')) ?? {};
        if (NOT_MEASURED.includes(kind)) continue;
        const key = JSON.stringify([collection, id, steps]);
        found.push({ collection, id, name, path, label, unit, from, to, key });
      }
    }
  }
  const largest = new Map<string, NumberChange>();
  for (const { key, ...change } of found.sort((a, b) => sizeOf(b) - sizeOf(a)))
    if (!largest.has(key)) largest.set(key, change);
  return [...largest.values()].slice(0, MAX_LARGEST);
}

/** The difference of the numbers divided by the larger one: 1 from or to 0, at most 2. */
function sizeOf({ from, to }: NumberChange): number {
  return Math.abs(to - from) / Math.max(Math.abs(from), Math.abs(to));
}

type RaiserOptions = Needs<'follower' | 'store' | 'log' | 'now'>;
/** The occurrences of each game that may still have to be raised, by the time that they are due. */
type Waiting = Map<GameBuilds, readonly Occurrence[]>;

/**
 * Makes a function that raises all due occurrences of a dist/ that no gateway has raised yet. When a store is used for the first time, all past
 * occurrences count as raised.
 */
export function createRaiser(options: RaiserOptions): () => Promise<boolean> {
  const { follower, store, now } = options;
  let catalog: Catalog | undefined;
  let waiting: Waiting = new Map();
  return async () => {
    const at = now();
    const current = follower.catalog;
    if (catalog !== current) {
      // The last entry of a game in `loaded` is its newest build, which lists all builds.
      const games: GameBuilds[] = [...new Map(current.loaded.map((each) => [each.slug, each])).values()];
      waiting = new Map(games.map((game) => [game, waiting.get(game) ?? occurrencesOf(game)]));
      if (catalog === undefined) await passOver(store, waiting, at);
      catalog = current;
    }
    const raised = await Promise.allSettled(
      [...waiting].map(async ([game, occurrences]) => {
        const due = occurrences.filter((each) => each.due <= at);
        if (due.length > 0) await raise(game, due, options);
        waiting.set(game, occurrences.slice(due.length));
      }),
    );
    // A game that cannot be read does not delay the others.
    for (const each of raised) if (each.status === 'rejected') throw each.reason;
    return false;
  };
}

/** The mark that a store is in use. There may have been no games since. */
const BEGUN = 'events-begun';

async function passOver(store: Store, games: Waiting, now: number): Promise<void> {
  await store.transaction(async (sql) => {
    if (await readMeta(sql, BEGUN)) return;
    await setMeta(sql, BEGUN, String(now));
    for (const [{ slug }, occurrences] of games)
      for (const { id } of occurrences.filter(({ due }) => due <= now)) await markRaised(sql, slug, id);
  });
}

async function markRaised(sql: Sql, slug: string, id: string): Promise<void> {
  await sql.run('INSERT INTO occurrences (game, id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [slug, id]);
}

async function raisedOf(sql: Sql, slug: string): Promise<Set<string>> {
  const rows = await sql.all<{ id: string }>('SELECT id FROM occurrences WHERE game = $1', [slug]);
  return new Set(rows.map(({ id }) => id));
}

async function raise(game: GameBuilds, due: readonly Occurrence[], options: RaiserOptions): Promise<void> {
  const { follower, store, log, now } = options;
  const { slug } = game;
  const raised = await raisedOf(store, slug);
  const fresh = due.filter(({ id }) => !raised.has(id));
  if (fresh.length === 0) return;
  const read = (ref: FileRef) => readDistFile(follower.folder, ref);
  const events = new Map<string, GameEvent>();
  const newest = game.builds.findLast(({ released_at }) => Date.parse(released_at) <= now());
  for (const each of fresh) {
    // For a game that is new to the store, only `game.added` is sent, about its newest build.
    const about = each.type === 'game.added' && newest ? { ...each, newest } : each;
    if (raised.size > 0 || about !== each) events.set(each.id, await describeOccurrence(about, game, read));
  }
  const isDone = await store.transaction(async (sql) => {
    // Another gateway raised events of the game meanwhile, perhaps of another dist/: it may be no longer new.
    if ((await raisedOf(sql, slug)).size !== raised.size) return false;
    for (const { id } of fresh) await markRaised(sql, slug, id);
    for (const event of events.values()) await addEvent(sql, event);
    return true;
  });
  if (!isDone) return await raise(game, due, options);
  for (const { id, type, data } of events.values())
    log.info('event', { id, type, game: slug, build: data.build });
}

/** Adds an event with one delivery per channel of the Pro accounts that follow it. SQLite takes about 200 ms for 10,000 of them. */
async function addEvent(sql: Sql, event: GameEvent): Promise<void> {
  const { id, type, timestamp, data } = event;
  const now = sql.now();
  const values = [id, data.game, type, Date.parse(timestamp), JSON.stringify(event), now];
  const statement =
    'INSERT INTO events (id, game, type, at, body, raised_at) VALUES ($1, $2, $3, $4, $5, $6)';
  await sql.run(statement, values);
  await sql.run(
    `INSERT INTO deliveries (id, account, channel, event, due_at)
     SELECT CAST($1 AS TEXT) || ':' || channels.account || ':' || channels.kind, channels.account, channels.kind,
       CAST($1 AS TEXT), CAST($2 AS BIGINT)
     FROM channels JOIN accounts ON accounts.id = channels.account
     WHERE channels.kind <> 'feed' AND channels.disabled_at IS NULL
       AND accounts.tier = 'pro' AND (accounts.pro_until IS NULL OR accounts.pro_until > $2)
       AND EXISTS (SELECT 1 FROM follows WHERE follows.account = channels.account AND topic IN ($3, $4, $5))`,
    [id, now, ALL_GAMES, type === 'game.added' ? NEW_GAMES : ALL_GAMES, data.game],
  );
}
