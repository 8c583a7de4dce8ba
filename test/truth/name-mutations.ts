import type { Json } from '../../scripts/format/dist-format.ts';
import { type ColumnMutation, sample, valuesOf } from './mutation.ts';
import { type Cell, type RawColumn, read, remove, replace } from './raw-tables.ts';

type Random = () => number;

function texts(cells: readonly Cell[], change: (text: string, at: number) => string): boolean {
  for (const [at, cell] of cells.entries()) {
    const value = read(cell);
    if (typeof value === 'string' && value !== '') replace(cell, change(value, at));
  }
  return true;
}

/** UTF-8 read as Latin-1; texts of ASCII letters get one that is not. */
function mojibake(text: string): string {
  const strange = /[^\p{ASCII}]/u.test(text) ? text : `${text}é`;
  return Buffer.from(strange, 'utf8').toString('latin1');
}

/** As many letters of a script as a text has, the same for the same text. */
function inScript(text: string, first: number, count: number): string {
  let seed = 7;
  return [...text]
    .slice(0, 8)
    .map((letter) => {
      seed = (seed * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
      return String.fromCodePoint(first + (seed % count));
    })
    .join('');
}

const hangul = (text: string) => inScript(text, 0xac00, 11_000);
const latin = (text: string) => inScript(text, 0x61, 26);

/** A script that no language of a text with it has: Hangul for what is not Hangul, and Latin for what is. */
function inWrongScript(text: string): string {
  return /\p{Script=Hangul}/u.test(text) ? latin(text) : hangul(text);
}

const tenth = (change: (text: string) => string) => (column: RawColumn, random: Random) =>
  texts(sample(column.cells, 0.1, random), change);
const every = (change: (text: string, at: number) => string) => (column: RawColumn) =>
  texts(column.cells, change);

const all = { of: 'names', records: 8, first: true } as const;
const few = { of: 'names', records: 3, first: true } as const;

/** Mutations of names. */
export const NAME_MUTATIONS: readonly ColumnMutation[] = [
  { name: 'every name a placeholder', ...all, apply: every(() => 'Coming Soon') },
  { name: 'names keys of texts', ...all, apply: every((_, at) => `AVATAR_${at}_NAME`) },
  { name: 'names hashes of texts', ...all, apply: every((_, at) => String(2_178_816_269 + at * 7919)) },
  { name: 'names decoded wrongly', ...all, apply: every(mojibake) },
  { name: 'names with replacement characters', ...all, apply: every((text) => `${text.slice(1)}\ufffd`) },
  { name: 'names with HTML entities', ...all, apply: every((text) => `${text} &amp; &#39;`) },
  { name: 'names with control characters', ...all, apply: every((text) => `${text}\u0000`) },
  { name: 'names in another language', ...all, first: 'language', apply: every(inWrongScript) },
  {
    name: 'names in capitals, cut off',
    ...all,
    first: false,
    apply: every((text) => [...text].slice(0, 2).join('').toUpperCase()),
  },
  { name: 'names of the next row', ...all, first: false, apply: nextNames },
  { name: 'names removed', ...all, apply: ({ cells }) => removeAll(cells) },
  { name: 'names empty', ...all, apply: every(() => '') },
  { name: 'names undefined', ...all, apply: every(() => 'undefined') },
  { name: 'a tenth of the names a placeholder', ...few, first: false, apply: tenth(() => 'Coming Soon') },
  { name: 'a tenth of the names keys', ...few, apply: tenth((text) => `NAME_${text.length}_KEY`) },
  { name: 'a tenth of the names decoded wrongly', ...few, apply: tenth(mojibake) },
  {
    name: 'a tenth of the names with replacement characters',
    ...few,
    apply: tenth((text) => `${text.slice(1)}\ufffd`),
  },
  {
    name: 'a tenth of the names removed',
    ...few,
    first: false,
    apply: ({ cells }, random) => removeAll(sample(cells, 0.1, random)),
  },
];

function removeAll(cells: readonly Cell[]): boolean {
  for (const cell of cells) remove(cell);
  return true;
}

function nextNames(column: RawColumn): boolean {
  const values: Json[] = valuesOf(column);
  for (const [at, cell] of column.cells.entries()) replace(cell, values[(at + 1) % values.length] as Json);
  return true;
}
