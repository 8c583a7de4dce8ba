// The changes of builds, by record and in full. Values are Pro's, so only their direction is shown.
import type { Change } from '../../scripts/diff/compare.ts';
import type { BuildHistory } from '../../scripts/diff/summary.ts';
import { pointerSteps } from '../../scripts/format/json.ts';
import type { GameBuild } from '../data/game-build.ts';
import { type Html, html } from '../http/html.ts';
import { perGame } from './data.ts';
import { fullLabel, isInternal, type Known } from './format.ts';
import type { Visit } from './page-server.ts';

/** The changes of a build in `/api/{game}/history?build=`. */
export interface Build extends BuildHistory {
  /** ISO 8601 UTC. */
  released_at: string;
  /** The release times of regions where they differ, by region. */
  released_in?: Record<string, string>;
  /** The datasets that are still those of an earlier build, by key. */
  carried_from?: Record<string, string>;
  since?: string;
}

const readOnce = perGame(async ({ view, services }: Visit, { slug }: GameBuild, build: string) => {
  const query = `build=${encodeURIComponent(build)}`;
  const { builds } = await services.data.read<{ builds: Build[] }>(view, `/api/${slug}/history`, query);
  if (builds[0] === undefined) throw new Error(`the history of ${slug} has no build ${build}`);
  return builds[0];
});

/** Reads the changes of a build. @param build one that visitors see; the newest by default */
export function readBuild(visit: Visit, game: GameBuild, build = game.build): Promise<Build> {
  return readOnce(visit, game, build);
}

export function newIn({ previous, characters }: Build): BuildHistory['characters']['added'] {
  return previous === null ? [] : characters.added;
}

/** A build that changed a character. */
export interface RecordChange {
  build: string;
  released_at: string;
  /** `new`, `removed`, or the changed attributes. */
  what: string;
}

const MAX_FIELDS = 5;

/** Returns the builds that changed a character, newest first, without the first build of the game. */
export async function changesOfRecord(visit: Visit, game: GameBuild, id: string): Promise<RecordChange[]> {
  const model = await visit.services.data.list(visit.view, game, 'characters');
  const found = await Promise.all(
    game.builds.toReversed().map(async ({ build, released_at }): Promise<RecordChange[]> => {
      const { previous, characters } = await readBuild(visit, game, build);
      const { added, changed } = characters;
      if (previous === null) return [];
      if (added.some((each) => each.id === id)) return [{ build, released_at, what: 'new' }];
      const { fields } = changed.find((each) => each.id === id) ?? {};
      if (fields === undefined) return [];
      const labels = [...new Set(fields.map((key) => fullLabel(model?.known ?? new Map(), key)))];
      const what = labels.slice(0, MAX_FIELDS).join(', ') + (labels.length > MAX_FIELDS ? ' …' : '');
      return [{ build, released_at, what }];
    }),
  );
  return found.flat();
}

/** How the numbers of an attribute changed: all up, all down, some of each, or no number. */
type Direction = 'up' | 'down' | 'both' | 'none';

/**
 * Names the changed attributes, each once, with the direction of their numbers but without values. Attributes for programs are named only if there
 * are no others.
 */
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
  for (const { path, from, to } of forPeople.length > 0 ? forPeople : changes) {
    const label = keyOf(path) === '' ? 'Everything' : fullLabel(known, keyOf(path));
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

/** The changed attributes with their directions. */
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
