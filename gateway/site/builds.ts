// What builds changed: in a line, by record, and in full; of values only whether they grew or fell, since the values are Pro's.
import { orderChanges } from '../../scripts/diff/changes.ts';
import type { FoldedKind } from '../../scripts/diff/diff-builds.ts';
import type { ChangedCharacter } from '../../scripts/diff/history.ts';
import { type Json, pointerSteps } from '../../scripts/format/json.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type Html, html } from '../http/html.ts';
import { countOf, formatNumber, isInternal, type Known, labelOf, wordsOf } from './format.ts';
import type { Visit } from './page-server.ts';

/** A record by its id and name. */
export interface Named {
  id: string;
  name: string;
}

/** What a build changed, in short. */
export interface BuildSummary {
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** The times of regions where the release differs, by region. */
  released_in: Readonly<Record<string, string>>;
  /** The datasets that are still those of an earlier build, by key. */
  carried_from: Readonly<Record<string, string>>;
  /** The build before, if builds between are missing: what is new is new since then. */
  since: string | undefined;
  /** Whether it is the first of its game, so that there is nothing to compare it with. */
  isFirst: boolean;
  added: readonly Named[];
  changed: readonly ChangedCharacter[];
  removed: readonly Named[];
  /** The datasets that gained records of the game, and how many; most first. */
  gains: readonly { key: string; count: number }[];
  /** How many other datasets the game changed. */
  datasets: number;
}

/** The lists of a collection in a history. */
interface Lists {
  kind?: 'added' | 'removed';
  added?: readonly unknown[];
  gained?: readonly unknown[];
  removed?: readonly unknown[];
  changed?: readonly unknown[];
  fields?: readonly unknown[];
}

/** A build in a page of `/api/{game}/history?build=`. */
interface HistoryItem {
  released_at: string;
  released_in?: Record<string, string>;
  carried_from?: Record<string, string>;
  previous: string | null;
  since?: string;
  pages?: number;
  characters: { added: Named[]; changed: ChangedCharacter[]; removed: Named[] };
  datasets: Record<string, Lists>;
}

/** A build changes at most so many thousand records. */
const MAX_PAGES = 20;

const summaries = new WeakMap<GameBuild, Map<string, Promise<BuildSummary>>>();

/** Reads what a build of a game changed, in short. @param build one that visitors see; the newest by default */
export function readBuild(visit: Visit, game: GameBuild, build = game.build): Promise<BuildSummary> {
  const ofGame = summaries.get(game) ?? new Map<string, Promise<BuildSummary>>();
  summaries.set(game, ofGame);
  let summary = ofGame.get(build);
  if (summary === undefined) {
    summary = summarize(visit, game, build);
    ofGame.set(build, summary);
    summary.catch(() => ofGame.delete(build));
  }
  return summary;
}

async function summarize(
  { view, services }: Visit,
  { slug }: GameBuild,
  build: string,
): Promise<BuildSummary> {
  const read = async (page: number) => {
    const query = `build=${encodeURIComponent(build)}&page=${page}`;
    const { builds } = await services.data.read<{ builds: HistoryItem[] }>(
      view,
      `/api/${slug}/history`,
      query,
    );
    return builds[0];
  };
  const first = await read(1);
  if (first === undefined) throw new Error(`the history of ${slug} has no build ${build}`);
  const items = [first];
  for (let page = 2; page <= Math.min(first.pages ?? 1, MAX_PAGES); page++)
    items.push((await read(page)) ?? first);
  const count = (key: string, name: Exclude<keyof Lists, 'kind'>) =>
    items.reduce((sum, { datasets }) => sum + (datasets[key]?.[name]?.length ?? 0), 0);
  const keys = [...new Set(items.flatMap(({ datasets }) => Object.keys(datasets)))];
  const gains = keys
    .filter((key) => first.datasets[key]?.kind === undefined)
    .map((key) => ({ key, count: count(key, 'added') - count(key, 'gained') }))
    .filter((gain) => gain.count > 0)
    .sort((a, b) => b.count - a.count);
  const others = keys.filter((key) => {
    const { kind } = first.datasets[key] ?? {};
    const isChanged = (['changed', 'removed', 'fields'] as const).some((name) => count(key, name) > 0);
    return kind !== 'added' && (kind === 'removed' || isChanged) && !gains.some((gain) => gain.key === key);
  });
  const { released_at, released_in = {}, carried_from = {}, previous, since } = first;
  return {
    ...{ build, released_at, released_in, carried_from, since, isFirst: previous === null },
    added: items.flatMap(({ characters }) => characters.added),
    changed: items.flatMap(({ characters }) => characters.changed),
    removed: items.flatMap(({ characters }) => characters.removed),
    ...{ gains, datasets: others.length },
  };
}

/** How many datasets a line names. */
const MAX_NAMED = 3;

/** Describes what a build changed in one line: `2 new characters, 14 characters changed, 33 new in Banners`. */
export function describeBuild({
  since,
  isFirst,
  added,
  changed,
  removed,
  gains,
  datasets,
}: BuildSummary): string {
  if (isFirst) return `the first build, with ${countOf(added.length, 'character')}`;
  const others = datasets + gains.slice(MAX_NAMED).length;
  const parts = [
    added.length > 0 && countOf(added.length, 'new character'),
    changed.length > 0 && `${countOf(changed.length, 'character')} changed`,
    removed.length > 0 && `${countOf(removed.length, 'character')} removed`,
    ...gains.slice(0, MAX_NAMED).map(({ key, count }) => `${formatNumber(count)} new in ${wordsOf(key)}`),
    others > 0 && `${countOf(others, 'dataset')} changed`,
  ].filter((part) => part !== false);
  return `${parts.length === 0 ? 'no changes in the game' : parts.join(', ')}${since === undefined ? '' : ` since ${since}`}`;
}

/** A build that changed a character. */
export interface RecordChange {
  build: string;
  released_at: string;
  /** `new`, `removed`, or the attributes. */
  what: string;
}

const MAX_FIELDS = 5;

/** Returns the builds that changed a character, newest first; the first build of a game changed nothing. */
export async function changesOfRecord(visit: Visit, game: GameBuild, id: string): Promise<RecordChange[]> {
  const model = await visit.services.data.list(visit.view, game, 'characters');
  const found = await Promise.all(
    game.builds.toReversed().map(async ({ build, released_at }): Promise<RecordChange[]> => {
      const { isFirst, added, changed } = await readBuild(visit, game, build);
      if (isFirst) return [];
      if (added.some((each) => each.id === id)) return [{ build, released_at, what: 'new' }];
      const { fields } = changed.find((each) => each.id === id) ?? {};
      if (fields === undefined) return [];
      const labels = [...new Set(fields.map((key) => labelIn(key, model?.known ?? new Map())))];
      const what = labels.slice(0, MAX_FIELDS).join(', ') + (labels.length > MAX_FIELDS ? ' …' : '');
      return [{ build, released_at, what }];
    }),
  );
  return found.flat();
}

function labelIn(key: string, known: ReadonlyMap<string, Known>): string {
  const parts = key.split('.');
  const from = parts[0] === 'stats' ? 1 : 0;
  return parts
    .map((_, at) => parts.slice(0, at + 1).join('.'))
    .slice(Math.min(from, parts.length - 1))
    .map((part) => labelOf(known.get(part) ?? { key: part }))
    .join(' · ');
}

/** A change of the API: `path` is a JSON Pointer into the full record; `from` or `to` is absent where there was nothing. */
export interface Change {
  path: string;
  from?: Json;
  to?: Json;
}

/** What the data began or ceased to say of a whole collection, which is no change of the game. */
interface OfData {
  gained: string[];
  lost: string[];
  elements?: object[];
}

/** What the game did not change, by kind. */
type FoldedLists = Partial<Record<FoldedKind, unknown[]>>;

/** The response of `/api/{game}/diff`, of which only this is used. */
export interface BuildDiff {
  characters: {
    added: Named[];
    removed: Named[];
    changed: (Named & { changes: Change[] })[];
    folded?: FoldedLists;
    attributes?: OfData;
  };
  datasets: Record<
    string,
    {
      kind?: 'added' | 'removed';
      added?: string[];
      gained?: string[];
      removed?: string[];
      changed?: { id: string; name?: string; changes: Change[] }[];
      changes?: Change[];
      names?: Record<string, string>;
      folded?: FoldedLists;
      attributes?: OfData;
    }
  >;
}

/** What a build changed in one collection. */
export interface PatchPart {
  /** `characters`, or the key of a dataset. */
  key: string;
  added: Named[];
  removed: Named[];
  changed: (Named & { changes: Change[] })[];
  /** The changes of a collection that has no ids. */
  changes: Change[];
  /** What changed in the data, and not in the game, in words. */
  ofData: string[];
}

/** Arranges what a build changed: characters, then each dataset. */
export function arrangePatch({ characters, datasets }: BuildDiff): PatchPart[] {
  const { attributes, folded: ofCharacters, ...lists } = characters;
  return [
    partOf('characters', { ...lists, changes: [] }, attributes, foldedIn(ofCharacters)),
    ...Object.entries(datasets).map(([key, { names = {}, kind, attributes: ofData, folded, ...dataset }]) => {
      const { added = [], gained = [], removed = [], changed = [], changes = [] } = dataset;
      const named = (id: string): Named => ({ id, name: (Object.hasOwn(names, id) && names[id]) || id });
      const served =
        kind === 'removed'
          ? ['no longer served']
          : kind === 'added' || gained.length > 0
            ? [kind === 'added' ? 'served from this build on' : `${gained.length} served from this build on`]
            : [];
      const isNew = new Set(kind === 'added' ? added : gained);
      const lists = {
        added: added.filter((id) => !isNew.has(id)).map(named),
        removed: removed.map(named),
        changed: changed.map(({ id, changes: own }) => ({ ...named(id), changes: own })),
        changes: kind === undefined ? changes : [],
      };
      return partOf(key, lists, ofData, [...served, ...foldedIn(folded)]);
    }),
  ];
}

const FOLDED_WORDS: Record<FoldedKind, string> = {
  corrections: 'corrections of ours',
  gained: 'with more data',
  translations: 'translations and spellings',
  times: 'times of day, and dates of the past',
  order: 'in another order',
  references: 'names and ids of other records',
};

function foldedIn(folded: FoldedLists = {}): string[] {
  return Object.entries(folded).map(
    ([kind, { length }]) => `${formatNumber(length)} ${FOLDED_WORDS[kind as FoldedKind]}`,
  );
}

function partOf(
  key: string,
  { added, removed, changed, changes }: Pick<PatchPart, 'added' | 'removed' | 'changed' | 'changes'>,
  { gained = [], lost = [], elements = [] }: Partial<OfData> = {},
  served: string[] = [],
): PatchPart {
  const moved = [
    ...served,
    ...(gained.length + elements.length > 0
      ? [`gained ${countOf(gained.length + elements.length, 'attribute')}`]
      : []),
    ...(lost.length > 0 ? [`lost ${countOf(lost.length, 'attribute')}`] : []),
  ];
  return { key, added, removed, changed, changes, ofData: moved };
}

/** How a number moved: it grew, it fell, or some did either; or none did. */
type Direction = 'up' | 'down' | 'both' | 'none';

/** Names the attributes that changed, each once, with the direction of their numbers and without any value; those for programs only if there are no others. */
export function directionsOf(
  changes: readonly Change[],
  known: ReadonlyMap<string, Known>,
): Map<string, Direction> {
  const keyOf = (path: string) =>
    pointerSteps(path)
      .filter((step) => !/^\d+$/.test(step))
      .join('.');
  const forPeople = changes.filter(({ path }) => !isInternal(known.get(keyOf(path)) ?? { key: keyOf(path) }));
  const directions = new Map<string, Direction>();
  for (const { path, from, to } of orderChanges(forPeople.length > 0 ? forPeople : changes)) {
    const label = keyOf(path) === '' ? 'Everything' : labelIn(keyOf(path), known);
    const isNumber = typeof from === 'number' && typeof to === 'number';
    const direction = isNumber ? (to > from ? 'up' : 'down') : 'none';
    const before = directions.get(label) ?? 'none';
    const isSame = direction === 'none' || direction === before;
    directions.set(label, isSame ? before : before === 'none' ? direction : 'both');
  }
  return directions;
}

const SIGNS = { up: ['▲', 'up'], down: ['▼', 'down'], both: ['▲▼', 'up and down'], none: ['', ''] } as const;
const MAX_DIRECTIONS = 6;

/** The attributes that changed, and whether they grew or fell. */
export function directionList(directions: ReadonlyMap<string, Direction>): Html {
  const left = directions.size - MAX_DIRECTIONS;
  return html`<span class="directions small">${[...directions]
    .slice(0, MAX_DIRECTIONS)
    .map(([label, direction]) => {
      const [sign, words] = SIGNS[direction];
      return html`<span class="${direction}">${label}${
        sign !== '' &&
        html` <span aria-hidden="true">${sign}</span><span class="visually-hidden">${words}</span>`
      }</span> `;
    })}${left > 0 && html`<span class="muted">and ${left} more</span>`}</span>`;
}
