import { ArgumentError, isAbsent } from './values.ts';

/**
 * The markup of game texts: Unity's rich text (https://docs.unity3d.com/Packages/com.unity.textmeshpro@4.0/manual/RichText.html)
 * and named styles (`<@ba.kw>`, `<$ba.stun>`, closed by `</>`). A single word is a tag only if it is a known one, because texts also write
 * titles in angle brackets (`<Scrap>`).
 */
const TAGS = new RegExp(
  [
    '<[@$][^<>]*>', // a named style
    '</[A-Za-z]*>', // an end tag
    '<[A-Za-z]+(?: [A-Za-z]+)?=[^<>]*>', // a tag with a value: <color=#fff>, <color name=#fff>, <size=20>
    '</?(?:b|i|u|s|em|strong|sub|sup|nobr)>',
  ].join('|'),
  'g',
);
const LINE_BREAK = /<br ?\/?>/g;

/**
 * `$strip(text)`: a text without its markup. `<br>` becomes a line break. Braces stay: they are placeholders for values (`{atk:0%}`) or
 * for one of two wordings (`{F#she}{M#he}`), which only the mapping can choose.
 */
export function stripMarkup(text: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw new ArgumentError('$strip', 'a text', text);
  return text.replace(LINE_BREAK, '\n').replace(TAGS, '');
}
