// Events as messages for people: chats, mails, feeds.
import { describeCounts } from '../../../scripts/diff/summary.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import { HOUR_MS, TIERS } from '../../access/account.ts';
import type { Mail } from '../mailer.ts';
import { describeTime } from '../web.ts';
import type { CutList, GameEvent, NumberChange } from './event.ts';
import type { Posting } from './post.ts';

/** A chat service. To add one, write a file beside those in chat/ and name it in `chat/chats.ts`. */
export interface ChatService {
  /** The name of the service as people write it. */
  label: string;
  /** The form of the addresses that messages are posted to. */
  form: string;
  /** Matches an address: the group may be shown, the rest is a secret. */
  address: RegExp;
  post(address: string, message: Message, event: GameEvent): Posting;
  /** As in `PostOptions`. */
  final: RegExp;
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

/** Where links lead: the public URL of the gateway, without a path, and whether it has pages about games. */
export type Reach = { publicUrl: string; hasSite: boolean };

export function writeMessage(event: GameEvent, { publicUrl, hasSite }: Reach): Message {
  const { type, timestamp, data } = event;
  const isOnSite = hasSite && type !== 'alerts.test';
  const isOfBuild = type === 'build.released' || type === 'build.amended';
  const page = `/games/${data.game}${isOfBuild ? `/patches/${encodeURIComponent(data.build)}` : ''}`;
  const publicAt = Date.parse(data.released_at) + TIERS.free.delayHours * HOUR_MS;
  const isPublic = !isOnSite || publicAt <= Date.parse(timestamp);
  const time = describeTime(new Date(publicAt).toISOString());
  const seenBy = isPublic ? '' : `The page is public from ${time}. Pro accounts see the build now.`;
  const url = publicUrl + (isOnSite ? page : '/account');
  return { title: describeInOneLine(event), lines: describeInLines(event), url, seenBy };
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

const NOTHING: CutList<never> = { count: 0, first: [] };

/** A line with the length of a list, and its first elements; none if it is empty. */
function listLine<T>(name: string, list: CutList<T> = NOTHING, describe: (each: T) => string = String) {
  const { count, first } = list;
  const items = [...first.map(describe), ...(first.length < count ? ['…'] : [])];
  return count === 0 ? [] : [`${name} (${count}): ${items.join(', ')}`];
}

const nameOf = ({ name }: { name: string }) => name;

function describeNumber({ collection, id, path, from, to, ...texts }: NumberChange): string {
  const { name = id ?? collection, label = pointerSteps(path).join('.') } = texts;
  return `${name}: ${label} ${from} → ${to}`;
}

/** Describes the note or reason of an event and its changes, a line for each list. */
export function describeInLines({ data }: GameEvent): string[] {
  const { characters, datasets, largest = [], reason, note } = data;
  const about = reason ? `Why: ${reason}` : note;
  return [
    ...(about ? [about] : []),
    ...listLine('Added', characters?.added, nameOf),
    ...listLine('Changed', characters?.changed, nameOf),
    ...listLine('Removed', characters?.removed, nameOf),
    ...listLine('Largest changes', { count: largest.length, first: largest }, describeNumber),
    ...listLine('Datasets', datasets, (each) => `${each.key} (${describeCounts(each)})`),
    ...listLine('New attributes of the data', characters?.attributes?.gained),
    ...listLine('Attributes that the data no longer has', characters?.attributes?.lost),
  ];
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
