import type { Mail } from '../mail/mailer.ts';
import type { EventData, GameEvent, Listing } from './event.ts';

/** The most names that a mail or an entry of a feed lists of one kind. */
const MOST_NAMES = 30;

/** What an event says in one line. */
export function headlineOf({ type, data: { title, build } }: GameEvent): string {
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

/** What an event says, a line each. */
export function linesOf({ data }: GameEvent): string[] {
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
 * The mail that tells of an event.
 *
 * @param to as `readEmail` gives it
 */
export function alertMail(to: string, event: GameEvent): Mail {
  return {
    to,
    subject: headlineOf(event),
    text: `${[headlineOf(event), ...linesOf(event)].join('\n\n')}

--
You get this mail because your account at the Game Data Read API has alerts
by mail.
`,
  };
}

function describeNames(what: string, { count, first }: Listing<{ name: string }>): string[] {
  if (count === 0) return [];
  const names = first.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return [`${what} (${count}): ${names.join(', ')}${more}`];
}

function describeDatasets({ count, first }: Extract<EventData, { datasets: unknown }>['datasets']): string[] {
  if (count === 0) return [];
  const told = first.slice(0, MOST_NAMES).map(({ key, added, removed, changed }) => {
    const counts = Object.entries({ added, removed, changed }).filter(([, number]) => number > 0);
    return `${key} (${counts.map(([what, number]) => `${number} ${what}`).join(', ')})`;
  });
  const more = count > told.length ? ` and ${count - told.length} more` : '';
  return [`Datasets: ${told.join(', ')}${more}`];
}
