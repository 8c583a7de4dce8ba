import { pointerSteps } from '../../../scripts/format/json.ts';
import { TIERS } from '../../access/account.ts';
import type { Mail } from '../mailer.ts';
import { describeTime } from '../web.ts';
import type { Changes, Listing, NumberChange } from './changes.ts';
import type { GameEvent } from './event.ts';
import type { Outcome, Posting, PostResponse } from './post.ts';

/** A chat service, which gets messages in its own form. To add one, write a file beside those in chat/ and name it in `channels.ts`. */
export interface ChatForm {
  /** How people write its name. */
  label: string;
  /** How the addresses that messages are posted to begin. */
  begins: string;
  /** What they look like, for messages. */
  expected: string;
  hosts: readonly string[];
  /** Whether its hosts have other webhooks too, which may get events as they are. */
  hasOthers?: true;
  /** The paths of the addresses, with their queries: its group is what may be shown, and the rest is a secret. */
  path: RegExp;
  /** Makes a post of a message. All that comes from data is escaped, so that it is neither markup nor a mention. */
  make(address: string, event: GameEvent, message: ChatMessage): Posting;
  /** Returns the outcome that a response means; undefined if its status says it all. */
  read(response: PostResponse): Outcome | undefined;
}

/** A list in a message, such as the names of added characters. */
export interface MessageField {
  name: string;
  items: readonly string[];
  /** How many there are in all. */
  count: number;
  separator: string;
}

/** An event as a message for people, in no form of a service yet. Its texts come from data, and are not escaped. */
export interface ChatMessage {
  title: string;
  /** The page that shows all of it. */
  url: string;
  /** Who sees that page, and from when on; empty if everyone does. */
  seenBy: string;
  /** A note or a reason; empty without one. */
  text: string;
  fields: readonly MessageField[];
}

const HOUR_MS = 3_600_000;
/** The maximum length of one item of a list. */
const MAX_ITEM_CHARS = 200;

/** Where messages link to. */
export interface MessageLinks {
  /** The public URL of the gateway, without a path. */
  publicUrl: string;
  /** Whether the gateway has pages about games. */
  hasSite: boolean;
}

/** Makes the message about an event. */
export function makeMessage(event: GameEvent, { publicUrl, hasSite }: MessageLinks): ChatMessage {
  const isOnSite = hasSite && event.type !== 'alerts.test';
  const publicAt = isOnSite ? publicFrom(event) : undefined;
  return {
    title: describeInOneLine(event),
    url: publicUrl + (isOnSite ? pageOf(event, publicAt === undefined) : '/account'),
    seenBy: publicAt === undefined ? '' : describeViewers(publicAt),
    text: reasonOf(event),
    fields: fieldsOf(event),
  };
}

/** A note or a reason; empty without one. */
function reasonOf({ data }: GameEvent): string {
  return 'reason' in data ? `Why: ${data.reason}` : (data.note ?? '');
}

function describeViewers(publicAt: number): string {
  const time = describeTime(new Date(publicAt).toISOString());
  return `The page is public from ${time}. Pro accounts see the build now.`;
}

/** The path of the page about an event. A game that is not public yet has none. */
function pageOf({ type, data: { game, build } }: GameEvent, isPublic: boolean): string {
  if (type === 'build.released' || type === 'build.amended')
    return `/games/${game}/patches/${encodeURIComponent(build)}`;
  return type === 'game.added' && !isPublic ? '/games' : `/games/${game}`;
}

/** When visitors of the site see a build, ms since 1970; undefined if they saw it when the event was raised. */
function publicFrom({ timestamp, data: { released_at } }: GameEvent): number | undefined {
  const from = Date.parse(released_at) + TIERS.free.delayHours * HOUR_MS;
  return from > Date.parse(timestamp) ? from : undefined;
}

function fieldsOf({ data }: GameEvent): MessageField[] {
  const changes: Partial<Changes> = 'withdrawn_at' in data ? {} : data;
  const { characters, datasets, largest = [] } = changes;
  if (!characters || !datasets) return [];
  const { added, removed, changed, attributes } = characters;
  const none: Listing<string> = { count: 0, first: [] };
  const numbers = { count: largest.length, first: largest };
  return [
    field('Added', added, ({ name }) => name),
    field('Changed', changed, ({ name }) => name),
    field('Removed', removed, ({ name }) => name),
    field('Largest changes', numbers, describeNumber, '\n'),
    field('Datasets', datasets, describeDataset),
    field('New attributes of the data', attributes?.gained ?? none, (key) => key),
    field('Attributes that the data no longer has', attributes?.lost ?? none, (key) => key),
  ].filter(({ count }) => count > 0);
}

function field<T>(
  name: string,
  { count, first }: Listing<T>,
  describe: (value: T) => string,
  separator = ', ',
): MessageField {
  return { name: `${name} (${count})`, items: first.map(describe), count, separator };
}

/** Escapes a text, and cuts it so that it has at most `max` characters (UTF-16 code units) then. @param escapeOne escapes a character */
export function escapeWithin(text: string, max: number, escapeOne: (character: string) => string): string {
  let escaped = '';
  for (const character of text) {
    const next = escapeOne(character);
    if (escaped.length + next.length > max - 1) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

/** Reads the members of a response in JSON. */
export function readMembers(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Joins as many escaped items of a list as fit into `max` characters, and counts the others. */
export function joinItems(
  { items, count, separator }: MessageField,
  max: number,
  escapeOne: (character: string) => string,
): string {
  let text = '';
  for (const [index, item] of items.entries()) {
    const next = text + (index === 0 ? '' : separator) + escapeWithin(item, MAX_ITEM_CHARS, escapeOne);
    if (next.length + countMore(count - index - 1).length > max) return text + countMore(count - index);
    text = next;
  }
  return text + countMore(count - items.length);
}

function countMore(count: number): string {
  return count === 0 ? '' : ` and ${count} more`;
}

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

/** How many items of a list a mail or feed entry has. */
const MAX_ITEMS = 30;

/** Describes what an event changed, in lines: what messages have too. */
export function describeInLines(event: GameEvent): string[] {
  const reason = reasonOf(event);
  const lines = fieldsOf(event).map(({ name, items, count, separator }) => {
    const listed = items.slice(0, MAX_ITEMS);
    return `${name}: ${listed.join(separator === '\n' ? '; ' : separator)}${countMore(count - listed.length)}`;
  });
  return reason === '' ? lines : [reason, ...lines];
}

/** Describes a change of a number: `Amber: ATK 120 → 110`. Without a label, the attribute is named by its dotted path. */
function describeNumber({
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

/** Writes the mail about an event. @param to as returned by `readEmail` */
export function alertMail(to: string, event: GameEvent): Mail {
  const title = describeInOneLine(event);
  return {
    to,
    subject: title,
    text: `${[title, ...describeInLines(event)].join('\n\n')}

--
You receive this mail because alerts by mail are turned on for your account at
the Game Data Read API.
`,
  };
}

/** Describes what happened to a dataset: `materials (12 added)`. Records that it is only the first build to serve are not added by the game. */
function describeDataset({
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
