import { gzipSync } from 'node:zlib';
import { isObject, type Json, type JsonObject } from '../../../scripts/format/dist-format.ts';
import type { Files } from '../../support/fixtures.ts';
import { fc } from '../../support/random.ts';

/** One fault in a game's folder. Its numbers choose a file or value, modulo the number of them. */
export interface Mutation {
  kind: keyof typeof KINDS;
  file: number;
  at: number;
  other: number;
}

const NASTY_VALUES: Json[] = [
  null,
  true,
  '',
  ' ',
  'x',
  'NaN',
  '__proto__',
  'a/b',
  '../x',
  'a,b',
  '\u0000\u001b[2J\ud800',
  'é'.repeat(5000),
  0,
  -1,
  -0,
  0.1,
  1e308,
  2 ** 53,
  [],
  [null],
  [[[]]],
  [1, 'a'],
  {},
  { id: 'x' },
  { id: 1, name: 'x', 'a.b': 1 },
  { file: 'mapping/x.jsonata' },
  nested(80),
];
const NASTY_KEYS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'id',
  'name',
  'a.b',
  'x[',
  '-a',
  'q',
  '0',
  'ключ',
  'null',
];
const NASTY_TEXTS = [
  '',
  '\ufeff',
  '\u0000',
  '"',
  '\\',
  '{',
  ']',
  ',',
  ':',
  '//',
  '/*',
  '\n',
  '\r',
  'NaN',
  '1e999',
  '12345678901234567890',
  '\ud800',
  '$',
  '(',
];
const NASTY_FILES = [
  'x.json',
  '__proto__.json',
  'constructor.csv',
  'characters.csv',
  'Pull Planner.json',
  'é.yaml',
  'x.json.gz',
  '.json',
  'a/b/c.txt',
  'build.json',
  'pull_planner.yaml',
  'deep/build.json',
];

function nested(levels: number): Json {
  return levels === 0 ? 'deep' : { a: nested(levels - 1) };
}

/** All kinds of mutations, each with its effect on the files. Bytes are changed in any file, values only in JSON. */
const KINDS = {
  cutEnd: ofBytes((bytes, { at }) => bytes.subarray(0, at % (bytes.length + 1))),
  cutRange: ofBytes((bytes, { at, other }) => {
    const start = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 1 + (other % 50))]);
  }),
  repeatRange: ofBytes((bytes, { at, other }) => {
    const start = at % (bytes.length + 1);
    const range = bytes.subarray(start, start + 1 + (other % 200));
    return Buffer.concat([bytes.subarray(0, start), range, range, bytes.subarray(start + range.length)]);
  }),
  flipBit: ofBytes((bytes, { at, other }) => {
    const flipped = Buffer.from(bytes);
    const index = at % Math.max(bytes.length, 1);
    flipped[index] = (flipped[index] ?? 0) ^ (1 << (other % 8));
    return flipped;
  }),
  insertText: ofBytes((bytes, { at, other }) => {
    const start = at % (bytes.length + 1);
    const text = pick(NASTY_TEXTS, other);
    // Half of a character is written as a byte that is not UTF-8.
    const inserted = text === '\ud800' ? Buffer.from([0xff]) : Buffer.from(text);
    return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start)]);
  }),
  compress: ofBytes((bytes, { at }) => gzipSync(bytes).subarray(0, at % 2 === 0 ? undefined : 30)),
  replaceValue: ofValues((slot, { other }) => slot.set(pick(NASTY_VALUES, other))),
  removeValue: ofValues((slot) => slot.remove()),
  renameKey: ofValues((slot, { other }) => slot.rename(pick(NASTY_KEYS, other))),
  wrapValue: ofValues((slot, { other }) => slot.set(other % 2 === 0 ? [slot.value] : { x: slot.value })),
  textValue: ofValues((slot) =>
    slot.set(typeof slot.value === 'string' ? Number(slot.value) : String(slot.value)),
  ),
  repeatValue: ofValues((slot) => slot.repeat()),
  swapValues: ofValues((slot, { other }, slots) => {
    const twin = pick(slots, other);
    const { value } = slot;
    slot.set(twin.value);
    twin.set(value);
  }),
  removeFile: (files: Files, name: string): Files => ({ ...files, [name]: undefined }),
  moveFile: (files: Files, name: string, { other }: Mutation): Files => {
    const target = siblingOf(name, pick(NASTY_FILES, other));
    return target === name ? files : put({ ...files, [name]: undefined }, target, files[name]);
  },
  copyFile: (files: Files, name: string, { at, other }: Mutation): Files => {
    const target = at % 2 === 0 ? siblingOf(name, pick(NASTY_FILES, other)) : pick(Object.keys(files), other);
    return put(files, target, files[name]);
  },
  makeFolder: (files: Files, name: string): Files => put(files, `${name}/x.json`, '{}'),
};

/** One to three mutations. */
export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])),
    file: fc.nat(),
    at: fc.nat(),
    other: fc.nat(),
  }),
  { minLength: 1, maxLength: 3 },
);

/** The files after all mutations; undefined for a removed one. */
export function mutate(files: Files, list: readonly Mutation[]): Files {
  return list.reduce((changed, mutation) => {
    const present = Object.keys(changed).filter((name) => changed[name] !== undefined);
    if (present.length === 0) return changed;
    return KINDS[mutation.kind](changed, pick(present.sort(), mutation.file), mutation);
  }, files);
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function siblingOf(name: string, sibling: string): string {
  return [...name.split('/').slice(0, -1), sibling].join('/');
}

/** Adds a file, and removes files that would make a path both a file and a folder. */
function put(files: Files, name: string, content: Files[string]): Files {
  const clashes = Object.keys(files).filter(
    (other) => other.startsWith(`${name}/`) || name.startsWith(`${other}/`),
  );
  return { ...files, ...Object.fromEntries(clashes.map((other) => [other, undefined])), [name]: content };
}

type Kind = (files: Files, name: string, mutation: Mutation) => Files;

function bytesOf(content: Files[string]): Buffer {
  return Buffer.isBuffer(content) ? content : Buffer.from(String(content));
}

function ofBytes(change: (bytes: Buffer, mutation: Mutation) => Buffer): Kind {
  return (files, name, mutation) => ({ ...files, [name]: change(bytesOf(files[name]), mutation) });
}

/** A place in a JSON document, below its root. */
interface Slot {
  value: Json;
  set(value: Json): void;
  remove(): void;
  rename(key: string): void;
  repeat(): void;
}

function ofValues(change: (slot: Slot, mutation: Mutation, slots: Slot[]) => void): Kind {
  return (files, name, mutation) => {
    let root: Json;
    try {
      root = JSON.parse(String(files[name]));
    } catch {
      return files;
    }
    const slots = slotsOf(root);
    if (slots.length === 0) return files;
    change(pick(slots, mutation.at), mutation, slots);
    try {
      return { ...files, [name]: JSON.stringify(root) };
    } catch {
      // A value was inserted into itself.
      return files;
    }
  };
}

function slotsOf(value: Json): Slot[] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => [
      {
        value: element,
        set: (replaced) => void value.splice(index, 1, replaced),
        remove: () => void value.splice(index, 1),
        rename: () => void value.reverse(),
        repeat: () => void value.push(element),
      } satisfies Slot,
      ...slotsOf(element),
    ]);
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => [slotOfKey(value, key), ...slotsOf(value[key] as Json)]);
}

function slotOfKey(object: JsonObject, key: string): Slot {
  const define = (name: string, value: Json) =>
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  const value = object[key] as Json;
  return {
    value,
    set: (replaced) => void define(key, replaced),
    remove: () => void delete object[key],
    rename: (name) => {
      delete object[key];
      define(name, value);
    },
    repeat: () => void define(`${key}2`, value),
  };
}
