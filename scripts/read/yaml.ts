import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, parseDocument, Scalar } from 'yaml';
import type { CheckName, Finding } from '../findings.ts';
import type { Json } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../format/json.ts';
import type { ParseOutcome } from './files.ts';
import { lineAt, withinStack } from './json.ts';

const MAX_CHARACTERS = 32 * 1024 * 1024;
/** The parser uses about a kilobyte of memory per value. */
const MAX_VALUES = 2_000_000;
/** How many values the aliases of a file may expand to in total. */
const MAX_ALIASED_VALUES = 1_000_000;

// Always the YAML 1.2 core schema, whatever version a file declares. Keys are strings as written, also `007` and `null`.
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

/**
 * Parses a YAML file of one document with the core schema (https://yaml.org/spec/1.2.2, 10.3). Integers that a JavaScript number cannot
 * hold exactly become strings. A merge key (`<<`) is a finding: the core schema does not have it.
 */
export function parseYaml(text: string, file: string): ParseOutcome {
  const fail = (line: number, found: string, expected: string) => ({
    finding: yamlFinding(file, line, found, expected),
  });
  if (isTooLarge(text)) {
    const limits = `${MAX_CHARACTERS / 1024 / 1024} MiB, or more than ${MAX_VALUES} lines, commas and brackets of YAML`;
    return fail(1, `more than ${limits}`, 'smaller files, or JSON');
  }
  const document = withinStack(() => parseDocument(text, OPTIONS));
  if (document === undefined) return fail(1, ...TOO_DEEP);
  const [error] = document.errors;
  if (error) {
    const line = lineAt(text, error.pos[0]);
    if (error.code === 'MULTIPLE_DOCS') return fail(line, 'a second document', 'one document in a file');
    if (error.message.includes('call stack')) return fail(line, ...TOO_DEEP);
    return fail(line, error.message, 'well-formed YAML');
  }
  // The parser returns a null without source text for an empty document.
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null && !contents.source)) {
    return fail(1, 'an empty file', 'a YAML document');
  }
  const findings = tagFindings(document.warnings, text, file);
  const reader = new YamlReader(text, file, findings);
  const read = withinStack(() => reader.read(contents));
  return read ? { value: read.value, findings } : fail(1, ...TOO_DEEP);
}

const TOO_DEEP = ['nesting that is too deep', 'fewer levels of nesting'] as const;

function isTooLarge(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return true;
  let values = 0;
  for (const _ of text.matchAll(/[\n,[{]/g)) if (++values > MAX_VALUES) return true;
  return false;
}

/** `Parser.findLines` of YAML. */
export function findYamlLines(text: string): (pointer: string) => number {
  let root: unknown;
  return (pointer) => {
    if (isTooLarge(text)) return 1;
    root ??= withinStack(() => parseDocument(text, OPTIONS).contents);
    let node = root;
    let start = isNode(root) ? (root.range?.[0] ?? 0) : 0;
    for (const step of pointerSteps(pointer)) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => keyText(key) === step);
        if (pair === undefined) break;
        start = startOf(pair.key) ?? start;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        start = startOf(node) ?? start;
      } else break;
    }
    return lineAt(text, start);
  };
}

/** A value, and how many values it consists of. */
interface Read {
  value: Json;
  size: number;
}

/** Turns the nodes of a document into JSON, and reports those that JSON cannot represent. */
class YamlReader {
  readonly #text: string;
  readonly #file: string;
  readonly #findings: Finding[];
  readonly #path: (string | number)[] = [];
  /** The values of anchors; undefined while the value is being read. */
  readonly #anchors = new Map<string, Read | undefined>();
  #aliased = 0;

  constructor(text: string, file: string, findings: Finding[]) {
    this.#text = text;
    this.#file = file;
    this.#findings = findings;
  }

  read(node: unknown): Read {
    if (isAlias(node)) return this.#readAlias(node.source, node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return { value: null, size: 1 };
    if (node.anchor) this.#anchors.set(node.anchor, undefined);
    const read = isScalar(node)
      ? { value: readScalar(node), size: 1 }
      : isMap(node)
        ? this.#readMap(node.items)
        : this.#readList(node.items);
    if (node.anchor) this.#anchors.set(node.anchor, read);
    return read;
  }

  #readList(items: unknown[]): Read {
    const list: Json[] = [];
    let size = 1;
    for (const [index, item] of items.entries()) {
      const read = this.#readBelow(index, item);
      list.push(read.value);
      size += read.size;
    }
    return { value: list, size };
  }

  #readMap(pairs: Pair[]): Read {
    const values = new Map<string, Json>();
    let size = 1;
    for (const { key, value } of pairs) {
      const name = keyText(key);
      const read = this.#readBelow(name, value);
      size += read.size;
      if (isScalar(key) && key.type === Scalar.PLAIN && name === '<<') {
        this.#add(
          'yaml-syntax',
          name,
          key,
          'the merge key <<',
          'attributes written out, or the key in quotes',
        );
      } else if (values.has(name)) {
        this.#add('duplicate-key', name, key, `a second "${name}"`, 'each key only once');
      } else values.set(name, read.value);
    }
    return { value: Object.fromEntries(values), size };
  }

  #readBelow(step: string | number, node: unknown): Read {
    this.#path.push(step);
    const read = this.read(node);
    this.#path.pop();
    return read;
  }

  #readAlias(name: string, node: Node): Read {
    const read = this.#anchors.get(name);
    if (read === undefined) {
      const found = this.#anchors.has(name) ? `*${name} inside its own value` : `*${name}`;
      this.#add(
        'yaml-alias',
        undefined,
        node,
        `the alias ${found}`,
        `a complete value marked &${name} before it`,
      );
      return { value: null, size: 1 };
    }
    const before = this.#aliased;
    this.#aliased += read.size;
    if (this.#aliased <= MAX_ALIASED_VALUES) return read;
    if (before <= MAX_ALIASED_VALUES) {
      const expected = `aliases that expand to at most ${MAX_ALIASED_VALUES} values in a file`;
      this.#add('yaml-alias', undefined, node, `the alias *${name}, which exceeds the limit`, expected);
    }
    return { value: null, size: 1 };
  }

  #add(check: CheckName, step: string | undefined, node: unknown, found: string, expected: string): void {
    const pointer = pointerTo('', ...this.#path, ...(step === undefined ? [] : [step]));
    const place = { file: this.#file, pointer, line: lineAt(this.#text, startOf(node) ?? 0) };
    this.#findings.push({ check, severity: 'error', place, found, expected });
  }
}

function readScalar({ value }: Scalar): Json {
  if (typeof value !== 'bigint') return value as Json;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : '';
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Reports tags outside of the core schema, in one finding for the whole file. */
function tagFindings(
  warnings: { message: string; pos: [number, number] }[],
  text: string,
  file: string,
): Finding[] {
  const [first, ...more] = warnings;
  if (first === undefined) return [];
  const found = `${first.message}${more.length > 0 ? `, and ${more.length} more` : ''}`;
  return [
    {
      ...yamlFinding(
        file,
        lineAt(text, first.pos[0]),
        found,
        'values of the core schema; this value is read as one',
      ),
      severity: 'warning',
    },
  ];
}

function yamlFinding(file: string, line: number, found: string, expected: string): Finding {
  return { check: 'yaml-syntax', severity: 'error', place: { file, pointer: '', line }, found, expected };
}
