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

/**
 * `$strip(text)`: a text without its markup. `<br>` becomes a line break. Braces stay: they are placeholders for values (`{atk:0%}`) or
 * for one of two wordings (`{F#she}{M#he}`), which only the mapping can choose.
 */
export function stripMarkup(text: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw new ArgumentError('$strip', 'a text', text);
  const ends = new Set(text.match(END_TAG));
  return text
    .replace(LINE_BREAK, '\n')
    .replace(START_TAG, (tag, name: string) => (ends.has(`</${name}>`) ? '' : tag))
    .replace(END_TAG, '')
    .replace(TAGS, '');
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
