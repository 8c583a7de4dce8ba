import { TIERS } from '../../../access/account.ts';
import { describeTime } from '../../web/describe-time.ts';
import type { Changes, Listing } from '../events/changes.ts';
import type { GameEvent } from '../events/event.ts';
import { describeDataset, describeInOneLine, describeNumber } from './mails.ts';

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
  const { type, data } = event;
  const reason = 'reason' in data ? `Why: ${data.reason}` : data.note;
  const isOnSite = hasSite && type !== 'alerts.test';
  const publicAt = isOnSite ? publicFrom(event) : undefined;
  return {
    title: describeInOneLine(event),
    url: publicUrl + (isOnSite ? pageOf(event, publicAt === undefined) : '/account'),
    seenBy: publicAt === undefined ? '' : describeViewers(publicAt),
    text: reason ?? '',
    fields: fieldsOf(event),
  };
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
