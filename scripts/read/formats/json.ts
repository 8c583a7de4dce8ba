import {
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import type { Finding } from '../../findings/findings.ts';
import { lineAt, withinStack } from '../../findings/text.ts';
import type { Json } from '../../format/dist-format.ts';
import { pointerSteps } from '../../lib/json-pointer.ts';
import { errorOf } from '../../lib/system-error.ts';
import type { ParseOutcome } from './format.ts';
import { findDuplicateKeys } from './json-keys.ts';

/**
 * Parses the text of a JSON file; comments are allowed. Integers that a JavaScript number cannot hold exactly become strings.
 *
 * @param file the path for findings
 * @returns the value and findings about duplicate keys, or the finding that says where and why the text could not be parsed
 */
export function parseJson(text: string, file: string): ParseOutcome {
  // Comments become spaces, so that lines and offsets stay the same.
  const plain = hasComments(text) ? stripComments(text, ' ') : text;
  let value: Json;
  try {
    value = JSON.parse(keepLongIntegers(plain)) as Json;
  } catch (error) {
    return { finding: describeSyntaxError(text, file, errorOf(error)) };
  }
  return { value, findings: findDuplicateKeys(plain, value, file) };
}

/** A quick check. A `//` inside a string makes it wrong, which only costs time. */
function hasComments(text: string): boolean {
  return text.includes('//') || text.includes('/*');
}

const LONG_INTEGER = /\d{16}/;
// Strings are matched first, so that digits inside them stay unchanged. The digits of a decimal or an exponent are not an integer.
const STRING_OR_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

function keepLongIntegers(text: string): string {
  if (!LONG_INTEGER.test(text)) return text;
  return text.replace(STRING_OR_INTEGER, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}

function describeSyntaxError(text: string, file: string, error: Error): Finding {
  const errors: ParseError[] = [];
  withinStack(() => parse(text, errors, { disallowComments: false, allowTrailingComma: false }));
  const first = errors[0];
  const found = first
    ? `${spellOut(printParseErrorCode(first.error))} at ${quoteAt(text, first.offset)}`
    : error.message;
  return {
    check: 'json-syntax',
    severity: 'error',
    place: { file, pointer: '', line: first ? lineAt(text, first.offset) : 1 },
    found: text.trim() === '' ? 'an empty file' : found,
    expected: 'well-formed JSON',
  };
}

/** `CommaExpected` → `comma expected`. */
function spellOut(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function quoteAt(text: string, offset: number): string {
  const rest = text.slice(offset, offset + 20).split('\n')[0];
  return rest ? `"${rest}"` : 'the end of the line';
}

/** Makes a function that returns the 1-based line of an offset. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return high;
  };
}

/**
 * `Parser.findLines` of JSON. The text is parsed once, at the first call, and the keys of an object are collected once: a table can have
 * as many findings as rows.
 */
export function findJsonLines(text: string): (pointer: string) => number {
  const lineOf = lineCounter(text);
  const properties = new Map<Node, Map<string, Node>>();
  const nodeBelow = (node: Node, step: string): Node | undefined => {
    if (node.type === 'array') return node.children?.[Number(step)];
    if (node.type !== 'object') return undefined;
    const nodes = properties.get(node) ?? propertiesOf(node);
    properties.set(node, nodes);
    return nodes.get(step);
  };
  let root: Node | undefined | null = null;
  return (pointer) => {
    if (root === null) root = withinStack(() => parseTree(text));
    if (root === undefined) return 1;
    let node = root;
    for (const step of pointerSteps(pointer)) {
      const next = nodeBelow(node, step);
      if (next === undefined) break;
      node = next;
    }
    return lineOf(node.parent?.type === 'property' ? node.parent.offset : node.offset);
  };
}

/** Returns the values of an object by key; of duplicate keys, the last one wins as in `JSON.parse`. */
function propertiesOf({ children = [] }: Node): Map<string, Node> {
  const properties = new Map<string, Node>();
  for (const { children: [name, value] = [] } of children) {
    if (name && value) properties.set(name.value, value);
  }
  return properties;
}
