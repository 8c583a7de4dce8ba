import { isMap, isNode, isScalar, isSeq, parseDocument, Scalar, visit } from 'yaml';
import { type CheckName, errorAt, type Finding } from '../findings.ts';
import type { Json } from '../format/dist-format.ts';
import { pointerSteps } from '../format/json.ts';
import { errorOf } from '../system.ts';
import type { ParseOutcome, Parser } from './formats.ts';
import { lineAt, withinStack } from './json.ts';

// Always the YAML 1.2 core schema, whatever version a file declares. Keys are strings as written, including `007` and `null`.
const OPTIONS = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  intAsBigInt: true,
  prettyErrors: false,
  // The parser's own check compares each key of a map with every other key.
  uniqueKeys: false,
} as const;

/** How often aliases may repeat values: a few lines can expand to more than any memory holds. */
const MAX_ALIAS_COUNT = 1_000_000;

/**
 * Parses a YAML file with one document in the core schema (https://yaml.org/spec/1.2.2, 10.3). Integers that a number cannot represent exactly become
 * strings. A merge key (`<<`) is a finding: the core schema does not have it.
 */
export function parseYaml(text: string, file: string): ParseOutcome {
  const fault = (offset: number, found: string, expected: string, check: CheckName = 'file-syntax') =>
    errorAt(check, { file, pointer: '', line: lineAt(text, offset) }, found, expected);
  const tooDeep = { finding: fault(0, 'nesting that is too deep', 'fewer levels of nesting') };
  try {
    const document = parseDocument(text, OPTIONS);
    const [error] = document.errors;
    if (error?.message.includes('call stack')) return tooDeep;
    if (error) return { finding: fault(error.pos[0], error.message, 'one document of well-formed YAML') };
    const { contents } = document;
    // The parser returns a null without source text for an empty document.
    if (contents === null || (isScalar(contents) && contents.value === null && !contents.source))
      return { finding: fault(0, 'an empty file', 'a YAML document') };
    const findings: Finding[] = [];
    visit(document, {
      Map: (_key, map) => {
        const names = new Set<string>();
        for (const { key } of map.items) {
          const name = keyText(key);
          const at = startOf(key) ?? 0;
          if (name === '<<' && isScalar(key) && key.type === Scalar.PLAIN)
            findings.push(fault(at, 'the merge key <<', 'attributes written out, or the key in quotes'));
          else if (names.has(name))
            findings.push(fault(at, `a second "${name}"`, 'each key only once', 'duplicate-key'));
          names.add(name);
        }
      },
    });
    const value = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT, reviver: (_, part) => fromBigInt(part) });
    return { value: value as Json, findings };
  } catch (thrown) {
    if (thrown instanceof RangeError) return tooDeep;
    if (!(thrown instanceof ReferenceError)) throw thrown;
    const expected = 'each alias after a complete value with its anchor';
    return { finding: fault(0, errorOf(thrown).message, expected) };
  }
}

function fromBigInt(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

export function findYamlLines(text: string): (pointer: string) => number {
  let root: unknown;
  return (pointer) => {
    root ??= withinStack(() => parseDocument(text, OPTIONS).contents);
    let node = root;
    let start = startOf(root) ?? 0;
    for (const step of pointerSteps(pointer)) {
      const pair = isMap(node) ? node.items.find(({ key }) => keyText(key) === step) : undefined;
      const next = isSeq(node) ? node.items[Number(step)] : pair?.value;
      if (next === undefined) break;
      start = startOf(pair?.key ?? next) ?? start;
      node = next;
    }
    return lineAt(text, start);
  };
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : '';
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

export const YAML: Parser = { parse: parseYaml, findLines: findYamlLines };
