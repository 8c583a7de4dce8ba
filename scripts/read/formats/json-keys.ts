import { visit } from 'jsonc-parser';
import type { Finding } from '../../findings/findings.ts';
import { lineAt, withinStack } from '../../findings/text.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerTo } from '../../lib/json-pointer.ts';

/**
 * Finds keys that an object has more than once; `JSON.parse` silently keeps only the last. Keys are counted in the text and in the value.
 * The text is parsed again only when the counts differ, so that this takes less time than `JSON.parse` itself.
 *
 * @param text well-formed JSON without comments
 * @param value what `JSON.parse` returned for it
 * @param file the path for findings
 */
export function findDuplicateKeys(text: string, value: Json, file: string): Finding[] {
  if (countKeysInText(text) === countKeys(value)) return [];
  const findings: Finding[] = [];
  const open: Set<string>[] = [];
  withinStack(() =>
    visit(text, {
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (key, offset, _length, _line, _character, pathAbove) => {
        const keys = open.at(-1) as Set<string>;
        if (keys.has(key)) {
          findings.push({
            check: 'duplicate-key',
            severity: 'error',
            place: { file, pointer: pointerTo('', ...pathAbove(), key), line: lineAt(text, offset) },
            found: `a second "${key}"`,
            expected: 'each key only once',
          });
        }
        keys.add(key);
      },
    }),
  );
  if (findings.length > 0) return findings;
  const place = { file, pointer: '', line: 1 };
  const found = 'a duplicate key in an object that is nested too deep to find its line';
  return [{ check: 'duplicate-key', severity: 'error', place, found, expected: 'each key only once' }];
}

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES = new Set([0x20, 0x0a, 0x0d, 0x09]);

/** Counts the strings that a colon follows. */
function countKeysInText(text: string): number {
  let keys = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    let close = text.indexOf('"', open + 1);
    while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
    let next = close + 1;
    while (SPACES.has(text.charCodeAt(next))) next++;
    if (text.charCodeAt(next) === COLON) keys++;
    open = text.indexOf('"', next);
  }
  return keys;
}

/** Returns whether an odd number of backslashes precedes a character. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

function countKeys(value: Json): number {
  let keys = 0;
  const rest: Json[] = [value];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    const values = Array.isArray(part) ? part : Object.values(part);
    if (!Array.isArray(part)) keys += values.length;
    for (const below of values) if (typeof below === 'object' && below !== null) rest.push(below);
  }
  return keys;
}
