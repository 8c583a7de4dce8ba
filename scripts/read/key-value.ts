import { errorAt, type Finding } from '../findings.ts';
import type { JsonObject } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import type { ParseOutcome, Parser, ReadOptions } from './formats.ts';
import { splitLines } from './json.ts';

// U+FDD0 is a noncharacter (Unicode 23.7), which texts hardly ever contain. A text with it is restored unchanged.
const MARK = '\ufdd0';
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^\n]))|\ufdd0/g;
const HIDDEN = /\ufdd0([0-9a-f]{4})/g;
const NAMED: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/**
 * Hides escape sequences from a parser that would interpret the characters: `\n`, `\t`, `\r`, `\u00e9`, `\\`, and a backslash before a character of
 * `literal`. Any other backslash stays.
 */
export function hideEscapes(text: string, literal: string): string {
  return text.replace(ESCAPE, (written, code: string | undefined, character: string | undefined) => {
    if (code !== undefined) return MARK + code.toLowerCase();
    if (character === undefined) return hide(MARK);
    const named = Object.hasOwn(NAMED, character) ? NAMED[character] : undefined;
    if (named !== undefined) return hide(named);
    return character === '\\' || literal.includes(character) ? hide(character) : written;
  });
}

/** Restores the characters that `hideEscapes` hid. */
export function showEscapes(text: string): string {
  return text.replace(HIDDEN, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function hide(character: string): string {
  return MARK + character.charCodeAt(0).toString(16).padStart(4, '0');
}

/** A pair. With an empty key, it is a line that is not a pair. */
interface Pair {
  line: number;
  content: string;
  key: string;
  value: string;
}

/**
 * Parses key-value text: one pair per line, split at the first delimiter (`options.delimiter`, by default `=`). Spaces and tabs around key and value
 * are dropped; other white space, such as U+3000, is data. Values are strings. Blank lines and lines that start with `#` (`options.comment`) are
 * skipped.
 */
export function parseKeyValue(
  text: string,
  file: string,
  options: ReadOptions = {},
): ParseOutcome<JsonObject> {
  const pairs = readPairs(text, options);
  if (pairs.length === 0) {
    return { finding: errorAt('file-syntax', file, 'an empty file', 'one key and value per line') };
  }
  const findings: Finding[] = [];
  const values = new Map<string, string>();
  for (const { line, content, key, value } of pairs) {
    if (key === '') {
      const found = `the line ${JSON.stringify(content.slice(0, 60))}`;
      const expected = `a key, "${options.delimiter ?? '='}" and a value`;
      findings.push(errorAt('file-syntax', { file, pointer: '', line }, found, expected));
    } else if (values.has(key) && values.get(key) !== value) {
      const place = { file, pointer: pointerTo('', key), line };
      const found = `a second "${key}" with another value`;
      findings.push(errorAt('duplicate-key', place, found, 'each key only once'));
    } else values.set(key, value);
  }
  return { value: Object.fromEntries(values), findings };
}

export function findKeyValueLines(text: string, options: ReadOptions): (pointer: string) => number {
  const lines = new Map(readPairs(text, options).map(({ key, line }) => [key, line]));
  return (pointer) => lines.get(pointerSteps(pointer)[0] ?? '') ?? 1;
}

function readPairs(text: string, { delimiter = '=', comment = '#', escapes }: ReadOptions): Pair[] {
  return splitLines(text).flatMap((whole, index): Pair[] => {
    const content = trimBlanks(whole);
    if (whole.trim() === '' || (comment !== '' && content.startsWith(comment))) return [];
    const hidden = escapes ? hideEscapes(content, delimiter) : content;
    const show = (part: string) => (escapes ? showEscapes(trimBlanks(part)) : trimBlanks(part));
    const at = hidden.indexOf(delimiter);
    const key = at === -1 ? '' : show(hidden.slice(0, at));
    return [{ line: index + 1, content, key, value: show(hidden.slice(at + delimiter.length)) }];
  });
}

/** Removes spaces and tabs at both ends, and the carriage return of a line's end. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t\r]+/, '').replace(/(?<![ \t\r])[ \t\r]+$/, '');
}

export const KEY_VALUE: Parser = { parse: parseKeyValue, findLines: findKeyValueLines };
