import type { Json } from '../format/dist-format.ts';
import { pointerSteps } from '../lib/json-pointer.ts';
import type { Change } from './compare-values.ts';

const LONGEST_VALUE = 80;

/** A change in words: where, what was and what is (undefined: nothing), and how much a number grew. */
export interface ChangeText {
  /** The dotted path; positions in lists count from 0. Empty for the whole value. */
  path: string;
  from?: string;
  to?: string;
  /** As `+5%`; only for numbers, and not from 0. */
  growth?: string;
}

/** Describes a change for people: values as JSON, cut short, in characters that can be printed. */
export function describeChange({ path, from, to }: Change): ChangeText {
  const growth = describeGrowth(from, to);
  return {
    path: printable(pointerSteps(path).join('.')),
    ...(from !== undefined && { from: quoteShort(from) }),
    ...(to !== undefined && { to: quoteShort(to) }),
    ...(growth !== undefined && { growth }),
  };
}

/** By how much a number grew, in per cent of its size before: to a tenth, or to two digits where it is less than 1 %. */
function describeGrowth(from: Json | undefined, to: Json | undefined): string | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return undefined;
  const percent = ((to - from) / Math.abs(from)) * 100;
  const rounded = Number(Math.abs(percent) < 1 ? percent.toPrecision(2) : percent.toFixed(1));
  return `${rounded > 0 ? '+' : ''}${rounded}%`;
}

/** A value as JSON, cut short. */
export function quoteShort(value: Json): string {
  return cutShort(printable(JSON.stringify(value)), LONGEST_VALUE);
}

/** A text of at most so many characters, and an ellipsis where there were more. */
export function cutShort(text: string, longest: number): string {
  return text.length > longest ? `${[...text].slice(0, longest).join('')}…` : text;
}

/** A text without what would move the cursor, change colours or turn the direction of writing: such characters are spelled out. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
