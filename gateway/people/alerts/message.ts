// Events as messages for people: chats, mails, feeds.
import { describeCounts } from '../../../scripts/diff/summary.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import { TIERS } from '../../access/account.ts';
import type { Mail } from '../mailer.ts';
import { describeTime } from '../web.ts';
import type { CutList, GameEvent } from './event.ts';
import type { DeliveryOutcome, Posting, PostResponse } from './post.ts';

/** A chat service. To add one, write a file beside those in chat/ and name it in `chat/chats.ts`. */
export interface ChatService {
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

/** An event as a message, in plain texts. */
export interface Message {
  title: string;
  /** The note or reason, and the lists of changes. */
  lines: string[];
  /** The page with the complete event. */
  url: string;
  /** Who sees that page, and from when; empty if everyone does. */
  seenBy: string;
}

const HOUR_MS = 3_600_000;

/** @param publicUrl of the gateway, without a path @param hasSite whether it has pages about games */
export function writeMessage(
  event: GameEvent,
  { publicUrl, hasSite }: { publicUrl: string; hasSite: boolean },
): Message {
  const { type, timestamp, data } = event;
  const isOnSite = hasSite && type !== 'alerts.test';
  const publicAt = Date.parse(data.released_at) + TIERS.free.delayHours * HOUR_MS;
  const isPublic = publicAt <= Date.parse(timestamp);
  const seenBy = `The page is public from ${describeTime(new Date(publicAt).toISOString())}. Pro accounts see the build now.`;
  return {
    title: describeInOneLine(event),
    lines: describeInLines(event),
    url: publicUrl + (isOnSite ? pageOf(event, isPublic) : '/account'),
    seenBy: isOnSite && !isPublic ? seenBy : '',
  };
}

/** Returns the path of the page about an event. A game that is not public yet has none. */
function pageOf({ type, data: { game, build } }: GameEvent, isPublic: boolean): string {
  if (type === 'build.released' || type === 'build.amended')
    return `/games/${game}/patches/${encodeURIComponent(build)}`;
  return type === 'game.added' && !isPublic ? '/games' : `/games/${game}`;
}

/** Describes an event in one line. */
export function describeInOneLine({ type, data }: GameEvent): string {
  const { title, build } = data;
  const others = (data.builds?.count ?? 1) - 1;
  const corrected = others > 0 ? `and ${others} earlier were corrected` : 'was corrected';
  return {
    'game.added': `New game: ${title} (build ${build})`,
    'build.released': `${title}: build ${build} is out`,
    'build.amended': `${title}: build ${build} ${corrected}`,
    'build.withdrawn': `${title}: build ${build} was withdrawn`,
    'alerts.test': 'Test of your alerts',
  }[type];
}

/** Describes the note or reason of an event and its changes, a line for each list. */
export function describeInLines({ data }: GameEvent): string[] {
  const { characters, datasets, largest = [], reason, note } = data;
  const about = reason ? `Why: ${reason}` : note;
  const named = (list?: CutList<{ name: string }>) =>
    list && { ...list, first: list.first.map(({ name }) => name) };
  const numbers = largest.map(({ collection, id, path, from, to, ...each }) => {
    const { name = id ?? collection, label = pointerSteps(path).join('.') } = each;
    return `${name}: ${label} ${from} → ${to}`;
  });
  const lists: Record<string, CutList<string> | undefined> = {
    Added: named(characters?.added),
    Changed: named(characters?.changed),
    Removed: named(characters?.removed),
    'Largest changes': { count: numbers.length, first: numbers },
    Datasets: datasets && {
      ...datasets,
      first: datasets.first.map((each) => `${each.key} (${describeCounts(each)})`),
    },
    'New attributes of the data': characters?.attributes?.gained,
    'Attributes that the data no longer has': characters?.attributes?.lost,
  };
  const lines = Object.entries(lists).flatMap(([name, list]) => {
    if (!list || list.count === 0) return [];
    const items = list.first.length < list.count ? [...list.first, '…'] : list.first;
    return `${name} (${list.count}): ${items.join(name === 'Largest changes' ? '; ' : ', ')}`;
  });
  return about ? [about, ...lines] : lines;
}

/** Escapes a character, so that data cannot produce markup or a mention. */
type Escape = (character: string) => string;

/** The escapes of HTML, and of Slack's texts. */
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
export const escapeMarkup: Escape = (character) => ESCAPED[character] ?? character;

/** Escapes a text, and shortens it so that the result has at most `max` UTF-16 code units. */
export function escapeWithin(text: string, max: number, escapeOne: Escape): string {
  let escaped = '';
  for (const character of text) {
    const next = escapeOne(character);
    if (escaped.length + next.length > max - 1) return `${escaped}…`;
    escaped += next;
  }
  return escaped;
}

/** Escapes lines and makes paragraphs of them, each shortened so that all of them fit. */
export function joinWithin(lines: readonly string[], max: number, escapeOne: Escape): string {
  const most = Math.floor(max / lines.length) - 2;
  return lines.map((line) => escapeWithin(line, most, escapeOne)).join('\n\n');
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
  return undefined;
}

function readMembers(body: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(body) };
  } catch {
    return {};
  }
}
