import { decodeHTMLStrict } from 'entities';
import { ArgumentError, isAbsent } from './values.ts';

/**
 * The markup of game texts: Unity's rich text (https://docs.unity3d.com/Packages/com.unity.textmeshpro@4.0/manual/RichText.html)
 * and named styles (`<@ba.kw>`, `<$ba.stun>`, closed by `</>`). Texts also write titles in angle brackets (`<Scrap>`): a single word is a
 * tag only if it is a known one, or if the text has its end tag.
 */
const TAGS = new RegExp(
  [
    '<[@$][^<>]*>', // a named style
    '<[A-Za-z]+(?: [A-Za-z]+)?=[^<>]*>', // a tag with a value: <color=#fff>, <color name=#fff>, <size=20>
    '<(?:b|i|u|s|em|strong|sub|sup|nobr)>',
  ].join('|'),
  'g',
);
const START_TAG = /<([A-Za-z][\w-]*)>/g;
const END_TAG = /<\/(?:[A-Za-z][\w-]*)?>/g;
const LINE_BREAK = /<br ?\/?>/g;

/** One of several wordings, such as for the sex of the player's character: `{F#she}{M#he}`. */
const WORDING = /\{([A-Za-z]+)#([^{}]*)\}/g;

/**
 * `$strip(text, wording)`: a text without its markup. `<br>` becomes a line break. Of several wordings (`{F#she}{M#he}`), that with the name
 * `wording` stays; without it, all stay, because only the mapping can choose. Other braces are placeholders for values (`{atk:0%}`) and stay.
 */
export function stripMarkup(text: unknown, wording?: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw new ArgumentError('$strip', 'a text', text);
  if (!isAbsent(wording) && typeof wording !== 'string')
    throw new ArgumentError('$strip', 'the name of a wording, for example "F"', wording);
  const ends = new Set(text.match(END_TAG));
  return chooseWording(text, wording)
    .replace(LINE_BREAK, '\n')
    .replace(START_TAG, (tag, name: string) => (ends.has(`</${name}>`) ? '' : tag))
    .replace(END_TAG, '')
    .replace(TAGS, '');
}

function chooseWording(text: string, wording: unknown): string {
  if (isAbsent(wording)) return text;
  return text.replace(WORDING, (_, name: string, words: string) => (name === wording ? words : ''));
}

/**
 * `$unescape(text)`: a text with its HTML character references decoded: `&amp;`, `&eacute;`, `&#39;`, `&#x1F600;`. Anything else that begins
 * with `&` stays.
 */
export function unescapeHtml(text: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw new ArgumentError('$unescape', 'a text', text);
  return decodeHTMLStrict(text);
}
