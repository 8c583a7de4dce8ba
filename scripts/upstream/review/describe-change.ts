import type { Change } from '../../diff/compare-values.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../lib/json-pointer.ts';
import { cutApart } from '../../patches/cut-apart.ts';

const MAX_VALUE_CHARACTERS = 80;

/** The texts that describe a change. `from` and `to` are undefined where the change has none. */
export interface ChangeText {
  /** The dotted path; positions in lists count from 0. Empty for the whole value. */
  path: string;
  from?: string;
  to?: string;
  /** How much a number grew, such as `+5%`; only if it was not 0 before. */
  growth?: string;
}

/** Describes a change: values as JSON of limited length, without characters that cannot be printed. */
export function describeChange({ path, from, to }: Change): ChangeText {
  const growth = describeGrowth(from, to);
  if (from !== undefined && to !== undefined) {
    const texts = [from, to].map((value) => printable(JSON.stringify(value)));
    const [before, after] = cutApart(texts[0] ?? '', texts[1] ?? '', MAX_VALUE_CHARACTERS);
    const dotted = printable(pointerSteps(path).join('.'));
    return { path: dotted, from: before, to: after, ...(growth !== undefined && { growth }) };
  }
  return {
    path: printable(pointerSteps(path).join('.')),
    ...(from !== undefined && { from: quoteShort(from) }),
    ...(to !== undefined && { to: quoteShort(to) }),
  };
}

/** How much a number grew, in per cent of its absolute value before: rounded to a tenth, or to two digits if less than 1 %. */
function describeGrowth(from: Json | undefined, to: Json | undefined): string | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return undefined;
  const percent = ((to - from) / Math.abs(from)) * 100;
  const rounded = Number(Math.abs(percent) < 1 ? percent.toPrecision(2) : percent.toFixed(1));
  return `${rounded > 0 ? '+' : ''}${rounded}%`;
}

/** A value as JSON of limited length. */
export function quoteShort(value: Json): string {
  return cutShort(printable(JSON.stringify(value)), MAX_VALUE_CHARACTERS);
}

/** The first characters of a text; followed by an ellipsis if it has more. */
export function cutShort(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${[...text].slice(0, maxCharacters).join('')}…` : text;
}

/** Escapes the characters of a text that would move the cursor, change colours or reverse the direction of writing. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
