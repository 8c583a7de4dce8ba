import { ArgumentError, isAbsent } from './values.ts';

/**
 * What game texts are marked up with: Unity's rich text (https://docs.unity3d.com/Packages/com.unity.textmeshpro@4.0/manual/RichText.html)
 * and styles by name (`<@ba.kw>`, `<$ba.stun>`, closed by `</>`). A bare word is a tag only when it is a known one: titles stand in
 * angle brackets too (`<Scrap>`).
 */
const TAGS = new RegExp(
  [
    '<[@$][^<>]*>', // a style by name
    '</[A-Za-z]*>', // an end
    '<[A-Za-z]+(?: [A-Za-z]+)?=[^<>]*>', // a tag with a value: <color=#fff>, <color name=#fff>, <size=20>
    '</?(?:b|i|u|s|em|strong|sub|sup|nobr)>',
  ].join('|'),
  'g',
);
const LINE_BREAK = /<br ?\/?>/g;

/**
 * `$strip(text)`: a text without its markup. `<br>` becomes a line break. Braces stay: they stand for values (`{atk:0%}`), and which of
 * two wordings holds (`{F#she}{M#he}`) only the mapping knows.
 */
export function stripMarkup(text: unknown): string | undefined {
  if (isAbsent(text)) return undefined;
  if (typeof text !== 'string') throw new ArgumentError('$strip', 'a text', text);
  return text.replace(LINE_BREAK, '\n').replace(TAGS, '');
}
