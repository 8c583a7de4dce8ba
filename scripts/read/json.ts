import { isUtf8 } from 'node:buffer';
import * as jsonc from 'jsonc-parser';
import { errorAt, type Finding } from '../findings.ts';
import type { Json } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import { errorOf } from '../system.ts';
import { isUnsafeInteger } from '../text.ts';
import type { ParseOutcome, Parser } from './formats.ts';

/**
 * Decodes a file's bytes as UTF-8, with or without a byte order mark.
 *
 * @param file the path for findings
 */
export function decodeText(bytes: Buffer, file: string): { value: string } | { finding: Finding } {
  if (isUtf8(bytes)) return { value: new TextDecoder().decode(bytes) };
  const text = bytes.toString();
  const place = { file, pointer: '', line: lineAt(text, text.indexOf('\ufffd')) };
  const fix = 'convert the file to UTF-8';
  return { finding: errorAt('file-text', place, 'bytes that are not UTF-8', 'UTF-8 text', fix) };
}

/** Returns the 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Splits a text into lines, without their line breaks. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** Runs a recursive parser; returns undefined if the nesting overflows the call stack. */
export function withinStack<T>(parseNested: () => T): T | undefined {
  try {
    return parseNested();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Finds repeated keys of objects, of which `JSON.parse` silently keeps the last. Keys are counted in the text and in the value; the text is parsed
 * again only if the counts differ, so that this takes less time than `JSON.parse` itself.
 *
 * @param text well-formed JSON without comments
 * @param value the result of `JSON.parse`
 * @param file the path for findings
 */
function findDuplicateKeys(text: string, value: Json, file: string): Finding[] {
  if (countKeysInText(text) === countKeys(value)) return [];
  const findings: Finding[] = [];
  const open: Set<string>[] = [];
  withinStack(() =>
    jsonc.visit(text, {
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (key, _offset, _length, line, _character, pathAbove) => {
        const keys = open.at(-1) as Set<string>;
        const placeOf = () => ({ file, pointer: pointerTo('', ...pathAbove(), key), line: line + 1 });
        if (keys.has(key))
          findings.push(errorAt('duplicate-key', placeOf(), `a second "${key}"`, 'each key only once'));
        keys.add(key);
      },
    }),
  );
  if (findings.length > 0) return findings;
  const found = 'a duplicate key in an object that is nested too deep to find its line';
  return [errorAt('duplicate-key', file, found, 'each key only once')];
}

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACES = new Set([0x20, 0x0a, 0x0d, 0x09]);

/** Counts the strings that are followed by a colon. */
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

/**
 * Parses a JSON file; comments are allowed. Integers that a number cannot represent exactly become strings.
 *
 * @param file the path for findings
 * @returns the value and findings about repeated keys, or the finding that says where and why the text could not be parsed
 */
export function parseJson(text: string, file: string): ParseOutcome {
  // Comments and a byte order mark become spaces, so that lines and offsets stay the same.
  const plain = (hasComments(text) ? jsonc.stripComments(text, ' ') : text).replace(/^\ufeff/, ' ');
  let value: Json;
  try {
    value = JSON.parse(keepLongIntegers(plain)) as Json;
  } catch (error) {
    return { finding: describeSyntaxError(text, file, errorOf(error)) };
  }
  return { value, findings: findDuplicateKeys(plain, value, file) };
}

/** A quick check. A `//` inside a string gives a wrong result, which costs only time. */
function hasComments(text: string): boolean {
  return text.includes('//') || text.includes('/*');
}

// Strings are matched first, so that digits inside them are not changed.
const STRING_OR_LONG_NUMBER =
  /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?(?=[\d.]{16})\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE])/g;

function keepLongIntegers(text: string): string {
  if (!/[\d.]{16}/.test(text)) return text;
  return text.replace(STRING_OR_LONG_NUMBER, (token) => (isUnsafeInteger(token) ? `"${token}"` : token));
}

function describeSyntaxError(text: string, file: string, error: Error): Finding {
  const errors: jsonc.ParseError[] = [];
  withinStack(() => jsonc.parse(text, errors, { disallowComments: false, allowTrailingComma: false }));
  const first = errors[0];
  const found = first
    ? `${spellOut(jsonc.printParseErrorCode(first.error))} at ${quoteAt(text, first.offset)}`
    : error.message;
  const place = { file, pointer: '', line: first ? lineAt(text, first.offset) : 1 };
  const fix = 'correct it, or take the file again: it may be incomplete';
  return errorAt('file-syntax', place, text.trim() === '' ? 'an empty file' : found, 'well-formed JSON', fix);
}

/** `CommaExpected` → `comma expected`. */
function spellOut(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function quoteAt(text: string, offset: number): string {
  const rest = text.slice(offset, offset + 20).split('\n')[0];
  return rest ? `"${rest}"` : 'the end of the line';
}

/** The text is parsed once, at the first call. */
export function findJsonLines(text: string): (pointer: string) => number {
  let root: jsonc.Node | undefined | null = null;
  return (pointer) => {
    if (root === null) root = withinStack(() => jsonc.parseTree(text));
    if (root === undefined) return 1;
    let node = root;
    for (const step of pointerSteps(pointer)) {
      const next = jsonc.findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step]);
      if (next === undefined) break;
      node = next;
    }
    return lineAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset + 1);
  };
}

/**
 * Parses JSON Lines (https://jsonlines.org) into a list: one value per line. Blank lines are skipped. A line that cannot be parsed is a finding; the
 * others are still read.
 */
export function parseJsonLines(text: string, file: string): ParseOutcome<Json[]> {
  const findings: Finding[] = [];
  const rows: Json[] = [];
  const lines = rowLines(text);
  for (const [index, { line, content }] of lines.entries()) {
    const outcome = parseJson(content, file);
    const problems = 'finding' in outcome ? [outcome.finding] : outcome.findings;
    for (const finding of problems) {
      const { pointer } = finding.place;
      findings.push({ ...finding, place: { file, pointer: pointerTo('', index) + pointer, line } });
    }
    rows.push('value' in outcome ? outcome.value : null);
  }
  if (lines.length > 0) return { value: rows, findings };
  return { finding: errorAt('file-syntax', file, 'an empty file', 'one JSON value per line') };
}

export function findJsonLinesLines(text: string): (pointer: string) => number {
  const lines = rowLines(text);
  return (pointer) => lines[Number(pointerSteps(pointer)[0])]?.line ?? 1;
}

function rowLines(text: string): { line: number; content: string }[] {
  return splitLines(text)
    .map((content, index) => ({ line: index + 1, content }))
    .filter(({ content }) => content.trim() !== '');
}

export const JSON_TEXT: Parser = { parse: parseJson, findLines: findJsonLines };
export const JSON_LINES: Parser = { parse: parseJsonLines, findLines: findJsonLinesLines };
