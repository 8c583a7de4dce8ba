import type { Mail } from '../mail/mailer.ts';
import type { EventData, GameEvent, Listing } from './event.ts';

/** How many names of each kind a mail or feed entry lists. */
const MAX_NAMES = 30;

/** Describes an event in one line. */
export function describeInOneLine({ type, data: { title, build } }: GameEvent): string {
  switch (type) {
    case 'game.added':
      return `New game: ${title} (build ${build})`;
    case 'build.released':
      return `${title}: build ${build} is out`;
    case 'build.amended':
      return `${title}: build ${build} was corrected`;
    case 'alerts.test':
      return 'Test of your alerts';
  }
}

/** Describes what an event changed, in lines. */
export function describeInLines({ data }: GameEvent): string[] {
  const note = data.note === null ? [] : [data.note];
  if ('reason' in data) return [`Why: ${data.reason}`];
  const { added, removed, changed } = data.characters;
  return [
    ...note,
    ...describeNames('Added', added),
    ...describeNames('Removed', removed),
    ...describeNames('Changed', changed),
    ...describeDatasets(data.datasets),
  ];
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

function describeNames(what: string, { count, first }: Listing<{ name: string }>): string[] {
  if (count === 0) return [];
  const names = first.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return [`${what} (${count}): ${names.join(', ')}${more}`];
}

function describeDatasets({ count, first }: Extract<EventData, { datasets: unknown }>['datasets']): string[] {
  if (count === 0) return [];
  const described = first.slice(0, MAX_NAMES).map(({ key, added, removed, changed }) => {
    const counts = Object.entries({ added, removed, changed }).filter(([, number]) => number > 0);
    return `${key} (${counts.map(([what, number]) => `${number} ${what}`).join(', ')})`;
  });
  const more = count > described.length ? ` and ${count - described.length} more` : '';
  return [`Datasets: ${described.join(', ')}${more}`];
}
