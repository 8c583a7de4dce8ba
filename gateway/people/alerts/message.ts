// Events as messages for people: chats, mails, feeds.
import { describeCounts } from '../../../scripts/diff/summary.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import { TIERS } from '../../access/account.ts';
import type { Mail } from '../mailer.ts';
import { describeTime } from '../web.ts';
import type { CutList, GameEvent, NumberChange } from './event.ts';
import type { DeliveryOutcome, Posting, PostResponse } from './post.ts';

/** How a service formats texts. */
export interface TextForm {
  /** Escapes a character, so that data cannot produce markup or a mention. */
  escape(character: string): string;
  /** The maximum lengths of escaped texts, in UTF-16 code units. */
  max: Record<'title' | 'text' | 'field', number>;
}

/** A chat service. To add one, write a file beside those in chat/ and name it in `chat/chats.ts`. */
export interface ChatService extends TextForm {
  /** The name of the service as people write it. */
  label: string;
  /** The form of the addresses that messages are posted to. */
  form: string;
  /** Matches an address: the group may be shown, the rest is a secret. */
  address: RegExp;
  post(address: string, message: Message, event: GameEvent): Posting;
  /** Whether an error response means that the webhook was removed. `json` has the members of its body. */
  isGone(response: PostResponse, json: Readonly<Record<string, unknown>>): boolean;
}

/** An event as a message, with escaped texts. */
export interface Message {
  title: string;
  /** The page with the complete event. */
  url: string;
  /** Who sees that page, and from when; empty if everyone does. */
  seenBy: string;
  /** A note or a reason; empty without one. */
  text: string;
  /** Lists, such as the names of the added characters. */
  fields: { name: string; value: string }[];
}

const HOUR_MS = 3_600_000;
/** The maximum length of one item of a list. */
const MAX_ITEM_CHARS = 200;
const PLAIN: TextForm = { escape: (character) => character, max: { title: 1000, text: 1000, field: 1000 } };
/** The escapes of HTML, and of Slack's texts. */
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
export const escapeMarkup = (character: string): string => ESCAPED[character] ?? character;

/** @param publicUrl of the gateway, without a path @param hasSite whether it has pages about games */
export function writeMessage(
  event: GameEvent,
  { publicUrl, hasSite }: { publicUrl: string; hasSite: boolean },
  form: TextForm,
): Message {
  const { type, timestamp, data } = event;
  const isOnSite = hasSite && type !== 'alerts.test';
  const publicAt = Date.parse(data.released_at) + TIERS.free.delayHours * HOUR_MS;
  const isPublic = publicAt <= Date.parse(timestamp);
  const seenBy = `The page is public from ${describeTime(new Date(publicAt).toISOString())}. Pro accounts see the build now.`;
  return {
    title: escapeWithin(describeInOneLine(event), form.max.title, form),
    url: publicUrl + (isOnSite ? pageOf(event, isPublic) : '/account'),
    seenBy: isOnSite && !isPublic ? seenBy : '',
    text: escapeWithin(data.reason ? `Why: ${data.reason}` : (data.note ?? ''), form.max.text, form),
    fields: fieldsOf(data, form),
  };
}

/** Returns the path of the page about an event. A game that is not public yet has none. */
function pageOf({ type, data: { game, build } }: GameEvent, isPublic: boolean): string {
  if (type === 'build.released' || type === 'build.amended')
    return `/games/${game}/patches/${encodeURIComponent(build)}`;
  return type === 'game.added' && !isPublic ? '/games' : `/games/${game}`;
}

function fieldsOf({ characters, datasets, largest = [] }: GameEvent['data'], form: TextForm) {
  if (!characters || !datasets) return [];
  const named = (list: CutList<{ name: string }>) => ({ ...list, first: list.first.map(({ name }) => name) });
  const lists: Record<string, CutList<string> | undefined> = {
    Added: named(characters.added),
    Changed: named(characters.changed),
    Removed: named(characters.removed),
    'Largest changes': { count: largest.length, first: largest.map(describeNumber) },
    Datasets: { ...datasets, first: datasets.first.map((each) => `${each.key} (${describeCounts(each)})`) },
    'New attributes of the data': characters.attributes?.gained,
    'Attributes that the data no longer has': characters.attributes?.lost,
  };
  return Object.entries(lists).flatMap(([name, list]) => {
    if (!list || list.count === 0) return [];
    const separator = name === 'Largest changes' ? '\n' : ', ';
    return [{ name: `${name} (${list.count})`, value: joinItems(list, separator, form) }];
  });
}

/** Joins as many items of a list as fit, and counts the others. */
function joinItems({ first: items, count }: CutList<string>, separator: string, form: TextForm): string {
  const andMore = (more: number) => (more === 0 ? '' : ` and ${more} more`);
  let text = '';
  for (const [index, item] of items.entries()) {
    const next = text + (index === 0 ? '' : separator) + escapeWithin(item, MAX_ITEM_CHARS, form);
    if (next.length + andMore(count - index - 1).length > form.max.field)
      return text + andMore(count - index);
    text = next;
  }
  return text + andMore(count - items.length);
}

/** Escapes a text, and shortens it so that the result has at most `max` characters. */
function escapeWithin(text: string, max: number, form: TextForm): string {
  let escaped = '';
  for (const character of text) {
    const next = form.escape(character);
    if (escaped.length + next.length > max - 1) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
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
      const others = (data.builds?.count ?? 1) - 1;
      const also = others > 0 ? ` and ${others} earlier` : '';
      return `${title}: build ${build}${also} ${others > 0 ? 'were' : 'was'} corrected`;
    }
    case 'build.withdrawn':
      return `${title}: build ${build} was withdrawn`;
    case 'alerts.test':
      return 'Test of your alerts';
  }
}

/** Describes the changes of an event in lines, as messages contain them. */
export function describeInLines(event: GameEvent): string[] {
  const { text, fields } = writeMessage(event, { publicUrl: '', hasSite: false }, PLAIN);
  const lines = fields.map(({ name, value }) => `${name}: ${value.replaceAll('\n', '; ')}`);
  return text === '' ? lines : [text, ...lines];
}

/** Describes a change of a number: `Amber: ATK 120 → 110`. Without a label, the attribute is named by its dotted path. */
function describeNumber({ collection, id, name = id ?? collection, ...change }: NumberChange): string {
  const { path, label = pointerSteps(path).join('.'), from, to } = change;
  return `${name}: ${label} ${from} → ${to}`;
}

/** @param to as returned by `readEmail` */
export function alertMail(to: string, event: GameEvent): Mail {
  const title = describeInOneLine(event);
  const text = `${[title, ...describeInLines(event)].join('\n\n')}

--
You receive this mail because alerts by mail are turned on for your account at
the Game Data Read API.
`;
  return { to, subject: title, text };
}

/** Returns the outcome that the response of a chat service means; undefined if its status is enough. */
export function readChatResponse(
  { label, isGone }: ChatService,
  response: PostResponse,
): DeliveryOutcome | undefined {
  const { status, body } = response;
  const json = readMembers(body);
  const detail = `the response had status ${status}`;
  const gone = `${detail}, which means that the webhook was removed at ${label}`;
  if (status >= 400 && isGone(response, json)) return { kind: 'gone', detail: gone, status };
  if (status === 400 || status === 413)
    return { kind: 'refused', detail: `${label} refused the message: ${detail}`, status };
  const { retry_after: seconds } = { ...json, ...(json.parameters ?? {}) } as { retry_after?: unknown };
  if (status !== 429 || typeof seconds !== 'number' || !(seconds > 0)) return undefined;
  return { kind: 'failed', detail, status, retryAfter: Math.ceil(seconds * 1000) };
}

function readMembers(body: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(body) };
  } catch {
    return {};
  }
}
