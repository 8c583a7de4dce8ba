import type { CheckName } from '../../findings/check-names.ts';
import type { Finding } from '../../findings/findings.ts';
import type { ReadOptions } from '../../findings/read-options.ts';
import { splitLines } from '../../findings/text.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../../lib/json-pointer.ts';
import { hideEscapes, showEscapes } from './escapes.ts';
import type { ParseOutcome } from './format.ts';

/** A pair; or, with an empty key, a line that is not a pair. */
interface Pair {
  line: number;
  content: string;
  key: string;
  value: string;
}

/**
 * Parses key-value text: one pair per line, split at the first delimiter (`options.delimiter`, by default `=`). Spaces and tabs around key and
 * value are dropped; other white space, such as U+3000, is data. A value is always a string. Blank lines and lines that start with `#` (`options.comment`) are skipped.
 */
export function parseKeyValue(
  text: string,
  file: string,
  options: ReadOptions = {},
): ParseOutcome<JsonObject> {
  const error = (
    check: CheckName,
    pointer: string,
    line: number,
    found: string,
    expected: string,
  ): Finding => ({
    check,
    severity: 'error',
    place: { file, pointer, line },
    found,
    expected,
  });
  const pairs = readPairs(text, options);
  if (pairs.length === 0) {
    return { finding: error('key-value-syntax', '', 1, 'an empty file', 'one key and value per line') };
  }
  const findings: Finding[] = [];
  const values = new Map<string, string>();
  for (const { line, content, key, value } of pairs) {
    if (key === '') {
      const found = `the line ${JSON.stringify(content.slice(0, 60))}`;
      const expected = `a key, "${options.delimiter ?? '='}" and a value`;
      findings.push(error('key-value-syntax', '', line, found, expected));
    } else if (values.has(key)) {
      findings.push(
        error('duplicate-key', pointerTo('', key), line, `a second "${key}"`, 'each key only once'),
      );
    } else values.set(key, value);
  }
  return { value: Object.fromEntries(values), findings };
}

/** `Parser.findLines` of key-value text. */
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
