import type { NumberChange } from '../events/largest-changes.ts';
import { pointerSteps } from '../../../../scripts/lib/json-pointer.ts';
import type { Mail } from '../../mail/mailer.ts';
import type { Changes, Listing } from '../events/changes.ts';
import type { GameEvent } from '../events/event.ts';

/** How many names of each kind a mail or feed entry lists. */
const MAX_NAMES = 30;

/** Describes an event in one line. */
export function describeInOneLine({ type, data }: GameEvent): string {
  const { title, build } = data;
  switch (type) {
    case 'game.added':
      return `New game: ${title} (build ${build})`;
    case 'build.released':
      return `${title}: build ${build} is out`;
    case 'build.amended': {
      const more = 'builds' in data && data.builds ? data.builds.count - 1 : 0;
      const others = more > 0 ? ` and ${more} earlier ${more === 1 ? 'build' : 'builds'}` : '';
      return `${title}: build ${build}${others} ${more > 0 ? 'were' : 'was'} corrected`;
    }
    case 'build.withdrawn':
      return `${title}: build ${build} was withdrawn`;
    case 'alerts.test':
      return 'Test of your alerts';
  }
}

/** Describes what an event changed, in lines. */
export function describeInLines({ data }: GameEvent): string[] {
  const note = data.note === null ? [] : [data.note];
  if ('withdrawn_at' in data) return [`Why: ${data.reason}`];
  if ('amended_at' in data) {
    const { characters, datasets, largest } = data;
    const known =
      characters && datasets ? describeChanges({ characters, datasets, ...(largest && { largest }) }) : [];
    return [`Why: ${data.reason}`, ...known];
  }
  return [...note, ...describeChanges(data)];
}

function describeChanges({ characters, datasets, largest = [] }: Changes): string[] {
  const { added, removed, changed, attributes } = characters;
  return [
    ...describeNames('Added', namesIn(added)),
    ...describeNames('Removed', namesIn(removed)),
    ...describeNames('Changed', namesIn(changed)),
    ...(attributes ? describeNames('New attributes of the data', attributes.gained) : []),
    ...(attributes ? describeNames('Attributes that the data no longer has', attributes.lost) : []),
    ...describeDatasets(datasets),
    ...(largest.length > 0 ? [`Largest changes: ${largest.map(describeNumber).join('; ')}`] : []),
  ];
}

/** Describes a change of a number: `Amber: ATK 120 → 110`. Without a label, the attribute is named by its dotted path. */
export function describeNumber({
  collection,
  id,
  name = id ?? collection,
  path,
  label,
  from,
  to,
}: NumberChange): string {
  return `${name}: ${label ?? pointerSteps(path).join('.')} ${from} → ${to}`;
}

/**
 * Writes the mail about an event.
 *
 * @param to as returned by `readEmail`
 */
export function alertMail(to: string, event: GameEvent): Mail {
  return {
    to,
    subject: describeInOneLine(event),
    text: `${[describeInOneLine(event), ...describeInLines(event)].join('\n\n')}

--
You receive this mail because alerts by mail are turned on for your account at
the Game Data Read API.
`,
  };
}

function namesIn({ count, first }: Listing<{ name: string }>): Listing<string> {
  return { count, first: first.map(({ name }) => name) };
}

function describeNames(what: string, { count, first }: Listing<string>): string[] {
  if (count === 0) return [];
  const names = first.slice(0, MAX_NAMES);
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return [`${what} (${count}): ${names.join(', ')}${more}`];
}

function describeDatasets({ count, first }: Changes['datasets']): string[] {
  if (count === 0) return [];
  const described = first.slice(0, MAX_NAMES).map(describeDataset);
  const more = count > described.length ? ` and ${count - described.length} more` : '';
  return [`Datasets: ${described.join(', ')}${more}`];
}

/** Describes what happened to a dataset: `materials (12 added)`. Records that it is only the first build to serve are not added by the game. */
export function describeDataset({
  key,
  added,
  gained = 0,
  removed,
  changed,
  attributes,
}: Changes['datasets']['first'][number]): string {
  const counts = Object.entries({
    added: added - gained,
    'first served': gained,
    removed,
    changed,
    'attributes gained': attributes?.gained ?? 0,
    'attributes lost': attributes?.lost ?? 0,
  }).filter(([, number]) => number > 0);
  return `${key} (${counts.map(([what, number]) => `${number} ${what}`).join(', ')})`;
}
