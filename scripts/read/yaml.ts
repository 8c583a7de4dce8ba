import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, Scalar, visit } from 'yaml';
import { errorAt, type Finding } from '../findings.ts';
import type { Json } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import { errorOf } from '../system.ts';
import type { ParseOutcome } from './files.ts';
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
  const finding = (offset: number, found: string, expected: string) =>
    errorAt('yaml-syntax', { file, pointer: '', line: lineAt(text, offset) }, found, expected);
  const tooDeep = { finding: finding(0, 'nesting that is too deep', 'fewer levels of nesting') };
  const document = withinStack(() => parseDocument(text, OPTIONS));
  const [error] = document?.errors ?? [];
  if (document === undefined || error?.message.includes('call stack')) return tooDeep;
  if (error?.code === 'MULTIPLE_DOCS')
    return { finding: finding(error.pos[0], 'a second document', 'one document in a file') };
  if (error) return { finding: finding(error.pos[0], error.message, 'well-formed YAML') };
  // The parser returns a null without source text for an empty document.
  const { contents, warnings } = document;
  if (contents === null || (isScalar(contents) && contents.value === null && !contents.source))
    return { finding: finding(0, 'an empty file', 'a YAML document') };
  const [tag, ...tags] = warnings;
  const expected = 'values of the core schema; this value is read as one';
  const findings = withinStack(() => findWrongKeys(document, text, file));
  if (findings === undefined) return tooDeep;
  if (tag) {
    const found = `${tag.message}${tags.length > 0 ? `, and ${tags.length} more` : ''}`;
    findings.push({ ...finding(tag.pos[0], found, expected), severity: 'warning' });
  }
  try {
    const value = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT, reviver: (_, part) => fromBigInt(part) });
    return { value: value as Json, findings };
  } catch (thrown) {
    if (thrown instanceof RangeError) return tooDeep;
    if (!(thrown instanceof ReferenceError)) throw thrown;
    const fault = finding(0, errorOf(thrown).message, 'each alias after a complete value with its anchor');
    return { finding: { ...fault, check: 'yaml-alias' } };
  }
}

function fromBigInt(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Finds merge keys, and repeated keys of a map. */
function findWrongKeys(document: Document, text: string, file: string): Finding[] {
  const findings: Finding[] = [];
  visit(document, {
    Map: (_key, map, above) => {
      const names = new Set<string>();
      for (const { key } of map.items) {
        const name = keyText(key);
        const isMerge = name === '<<' && isScalar(key) && key.type === Scalar.PLAIN;
        if (isMerge || names.has(name)) {
          const pointer = pointerTo(pathOf([...above, map]), name);
          const place = { file, pointer, line: lineAt(text, startOf(key) ?? 0) };
          const written = 'attributes written out, or the key in quotes';
          findings.push(
            isMerge
              ? errorAt('yaml-syntax', place, 'the merge key <<', written)
              : errorAt('duplicate-key', place, `a second "${name}"`, 'each key only once'),
          );
        }
        names.add(name);
      }
    },
  });
  return findings;
}

/** @param nodes each inside the one before */
function pathOf(nodes: readonly unknown[]): string {
  return nodes.reduce<string>((pointer, node, at) => {
    const below = nodes[at + 1];
    if (below === undefined) return pointer;
    if (isSeq(node)) return pointerTo(pointer, node.items.indexOf(below));
    return isMap(node) ? pointerTo(pointer, keyText((below as { key: unknown }).key)) : pointer;
  }, '');
}

/** `Parser.findLines` of YAML. */
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
