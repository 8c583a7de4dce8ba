// The changes of builds, by record and in full. Values are Pro's, so only their direction is shown.
import type { Change } from '../../scripts/diff/compare.ts';
import type { BuildHistory } from '../../scripts/diff/summary.ts';
import { pointerSteps } from '../../scripts/format/json.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
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
}

/** Reads the changes of a build that visitors see. */
export const readBuild = perGame(async ({ view, services }: Visit, { slug }: GameBuild, build: string) => {
  const query = `build=${encodeURIComponent(build)}`;
  const { builds } = await services.data.read<{ builds: Build[] }>(view, `/api/${slug}/history`, query);
  if (builds[0] === undefined) throw new Error(`the history of ${slug} has no build ${build}`);
  return builds[0];
});

/** Names the new characters of a build, some and the number of the others: `A, B and 7 more`; empty if there are none. */
export function namesOfNew({ previous, characters: { added } }: Build, most: number): string {
  if (previous === null) return '';
  const names = added.slice(0, most).map(({ name }) => name);
  return names.join(', ') + (added.length > most ? ` and ${added.length - most} more` : '');
}

/** A build that changed a character. */
export interface RecordChange {
  build: string;
  released_at: string;
  /** `new`, or the changed attributes. */
  what: string;
}

const MAX_FIELDS = 5;

/** Reads the builds that changed each character, newest first, without the first build of the game. */
export const readRecordChanges = perGame(async (visit: Visit, game) => {
  const model = await visit.services.data.list(visit.view, game, CHARACTERS);
  const found = new Map<string, RecordChange[]>();
  for (const { build, released_at } of game.builds.toReversed()) {
    const { previous, characters } = await readBuild(visit, game, build);
    if (previous === null) continue;
    const add = (id: string, what: string) =>
      found.set(id, [...(found.get(id) ?? []), { build, released_at, what }]);
    for (const { id } of characters.added) add(id, 'new');
    for (const { id, fields } of characters.changed) {
      const labels = [...new Set(fields.map((key) => fullLabel(model?.known ?? new Map(), key)))];
      add(id, labels.slice(0, MAX_FIELDS).join(', ') + (labels.length > MAX_FIELDS ? ' …' : ''));
    }
  }
  return found;
});

const SIGNS = { up: ['▲', 'up'], down: ['▼', 'down'], both: ['▲▼', 'up and down'], none: ['', ''] } as const;
const MAX_DIRECTIONS = 6;

/**
 * Names the changed attributes, each once, with the direction of their numbers but without values. Attributes for programs are named only if there
 * are no others.
 */
export function directionList(changes: readonly Change[], known: ReadonlyMap<string, Known>): Html {
  const named = changes.map((change) => {
    const steps = pointerSteps(change.path).filter((step) => !/^\d+$/.test(step));
    return { ...change, key: steps.join('.') };
  });
  const forPeople = named.filter(({ key }) => !isInternal(known.get(key) ?? { key }));
  const directions = new Map<string, keyof typeof SIGNS>();
  for (const { key, from, to } of forPeople.length > 0 ? forPeople : named) {
    const label = key === '' ? 'Everything' : fullLabel(known, key);
    const isNumber = typeof from === 'number' && typeof to === 'number';
    const direction = isNumber ? (to > from ? 'up' : 'down') : 'none';
    const before = directions.get(label) ?? 'none';
    const isSame = direction === 'none' || direction === before;
    directions.set(label, isSame ? before : before === 'none' ? direction : 'both');
  }
  const left = directions.size - MAX_DIRECTIONS;
  return html`<span class="directions small">${[...directions]
    .slice(0, MAX_DIRECTIONS)
    .map(([label, direction]) => {
      const [sign, words] = SIGNS[direction];
      const arrow = html` <span aria-hidden="true">${sign}</span><span class="visually-hidden">${words}</span>`;
      return html`<span class="${direction}">${label}${sign !== '' && arrow}</span> `;
    })}${left > 0 && html`<span class="muted">and ${left} more</span>`}</span>`;
}
