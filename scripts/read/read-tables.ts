import path from 'node:path';
import fastGlob from 'fast-glob';
import { type Finding, type Outcome, type Place, placeBelow } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import { compareNatural, DATASET_KEY, isObject, type Json, keysOf } from '../format/dist-format.ts';
import { pointerSteps, pointerTo } from '../lib/json-pointer.ts';
import { expandPattern } from './expand-pattern.ts';
import { formatOf, KNOWN_FILES, stemOf } from './formats/formats.ts';
import type { BuildSource } from './game/read-game.ts';
import type { TableDefinition } from './game/table-definition.ts';
import { keyTable } from './key-table.ts';
import type { Overlay, Overlays } from './overlays.ts';
import type { ParsedFiles } from './parsed-files.ts';
import type { Table } from './table.ts';

/** A build with its tables: the input of the compile stage. */
export interface BuildTables {
  source: BuildSource;
  /** The tables that `game.json` names. */
  tables: Map<string, Table>;
  /** Files directly in the build's folder that no table names, by dataset key or `characters`. They are served unchanged. */
  served: Map<string, Table>;
}

/** Reads a file with the options that a table declares; undefined when it cannot be parsed. */
type ReadValue = (file: string, options: ReadOptions) => Promise<Json | undefined>;

const validKey = new RegExp(DATASET_KEY);
const NO_FILES: Overlay = new Map();

/**
 * Reads the tables of a build.
 *
 * @param overlays the build's files, by the patterns of its tables and the one for served files
 * @param parsed shared by the builds of a game
 */
export async function readTables(
  folder: string,
  source: BuildSource,
  overlays: Overlays,
  parsed: ParsedFiles,
): Promise<Outcome<BuildTables>> {
  const findings: Finding[] = [];
  const read: ReadValue = (file, options) => parsed.read(file, options, findings);
  const tables = new Map<string, Table>();
  for (const definition of source.definition.tables) {
    const overlay = overlays.get(definition.files) ?? NO_FILES;
    findings.push(...findUselessOptions(definition, overlay, folder));
    const table = await readTable(definition, overlay, read, findings);
    if (table) tables.set(definition.name, table);
    else if (overlay.size === 0 && !definition.optional && !('problem' in expandPattern(definition.files)))
      findings.push(missingTable(definition, source, folder));
  }
  const claimed = new Set(
    source.definition.tables.flatMap(({ files }) => [...(overlays.get(files) ?? NO_FILES).values()]),
  );
  const served = await readServed(overlays.get(KNOWN_FILES) ?? NO_FILES, claimed, read, findings);
  return { value: { source, tables, served }, findings };
}

/** Finds options that the format of a table's files does not have: without a finding, they would be ignored silently. */
function findUselessOptions(
  { pointer, reading }: TableDefinition,
  overlay: Overlay,
  folder: string,
): Finding[] {
  const options = keysOf(reading).filter((option) => option !== 'format');
  return options.flatMap((option): Finding[] => {
    const file = [...overlay.values()].find(
      (file) => formatOf(file, reading.format)?.options.includes(option) === false,
    );
    if (file === undefined) return [];
    return [
      {
        check: 'definition',
        severity: 'error',
        place: { file: path.posix.join(folder, 'game.json'), pointer: pointerTo(pointer, option) },
        found: `"${option}", which the format of ${file} does not have`,
        expected: "an option that the format of all of the table's files has",
      },
    ];
  });
}

async function readTable(
  definition: TableDefinition,
  overlay: Overlay,
  read: ReadValue,
  findings: Finding[],
): Promise<Table | undefined> {
  const { name, files, at, key, reading } = definition;
  let table: Table | undefined;
  if (fastGlob.isDynamicPattern(files)) table = await readFileRows(definition, overlay, read, findings);
  else {
    const file = overlay.get(files);
    const value = file === undefined ? undefined : await read(file, reading);
    if (file !== undefined && value !== undefined) {
      table = tableOfFile(name, { file, pointer: at, ...withOptions(reading) }, value, findings);
    }
  }
  return table && key ? keyTable(table, key, definition, findings) : table;
}

/** Places contain options only when a table declares some. */
function withOptions(reading: ReadOptions): { reading?: ReadOptions } {
  return Object.keys(reading).length > 0 ? { reading } : {};
}

/** Reads a table in which each file is a row: an object keyed by file stem. */
async function readFileRows(
  { name, at, reading }: TableDefinition,
  overlay: Overlay,
  read: ReadValue,
  findings: Finding[],
): Promise<Table | undefined> {
  const rows = new Map<string, { value: Json; place: Place }>();
  for (const relative of [...overlay.keys()].sort(compareNatural)) {
    const file = overlay.get(relative) ?? '';
    const content = await read(file, reading);
    const stem = stemOf(file);
    const place = { file, pointer: at, ...withOptions(reading) };
    const twin = rows.get(stem);
    if (twin) {
      findings.push({
        check: 'table-files',
        severity: 'error',
        place: { ...place, line: 1 },
        found: `a second file with the stem "${stem}"; the first is ${twin.place.file}`,
        expected: `distinct stems, because they are the keys of table "${name}"`,
      });
    }
    const value = content === undefined ? undefined : valueAt(content, place, findings);
    if (value !== undefined) rows.set(stem, { value, place });
  }
  const [first] = rows.values();
  if (first === undefined) return undefined;
  const { place } = first;
  return {
    name,
    value: Object.fromEntries([...rows].map(([stem, { value }]) => [stem, value])),
    place,
    placeOfRow: (key) => rows.get(String(key))?.place ?? place,
  };
}

function tableOfFile(name: string, place: Place, content: Json, findings: Finding[]): Table | undefined {
  const value = valueAt(content, place, findings);
  if (value === undefined) return undefined;
  return { name, value, place, placeOfRow: (key) => placeBelow(place, key) };
}

function valueAt(value: Json, place: Place, findings: Finding[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of pointerSteps(place.pointer)) {
    at =
      (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, step)
        ? (at as Record<string, Json>)[step]
        : undefined;
  }
  if (at === undefined) {
    findings.push({
      check: 'table-files',
      severity: 'error',
      place,
      found: 'nothing there',
      expected: `a table at "${place.pointer}", as game.json declares`,
    });
  }
  return at;
}

function missingTable(
  { pointer, name, files }: TableDefinition,
  { build, removed }: BuildSource,
  folder: string,
): Finding {
  const isRemoved = removed.includes(files);
  return {
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, 'game.json'), pointer },
    found: isRemoved
      ? `the file "${files}", which build ${build} removes`
      : `no file "${files}" in build ${build} or before it`,
    expected: `the files of table "${name}"`,
    fix: isRemoved
      ? `if the dump lacks the file by mistake, or has it in another folder, remove the build and add the dump again (gamedata add, --partial for an incomplete dump); if the game no longer has it, remove the table and its datasets with "changes": {"from": "${build}", "tables": {"${name}": null}}`
      : 'correct the path; or add the dump again, if the table was declared after it was added; or declare {"files": …, "optional": true}, if builds may lack it',
  };
}

async function readServed(
  overlay: Overlay,
  claimed: Set<string>,
  read: ReadValue,
  findings: Finding[],
): Promise<Map<string, Table>> {
  const served = new Map<string, Table>();
  for (const [relative, file] of [...overlay].sort(([a], [b]) => compareNatural(a, b))) {
    if (claimed.has(file)) continue;
    const key = stemOf(relative);
    const problem = !validKey.test(key)
      ? {
          severity: 'warning' as const,
          found: `a file named "${relative}", which is ignored`,
          expected: 'a dataset key in snake_case as its stem, or a table in game.json that names it',
        }
      : served.has(key)
        ? {
            severity: 'error' as const,
            found: `a second file for "${key}"`,
            expected: 'one file for each dataset, in any format',
          }
        : undefined;
    if (problem) findings.push({ check: 'dataset-file', place: { file, pointer: '', line: 1 }, ...problem });
    if (problem?.severity === 'warning') continue;
    const content = await read(file, {});
    const table =
      content === undefined ? undefined : tableOfFile(key, { file, pointer: '' }, content, findings);
    if (table) served.set(key, unwrap(table));
  }
  return served;
}

/** Unwraps a list in an object; an object is a wrapper only when the list is its only property. */
function unwrap(table: Table): Table {
  if (!isObject(table.value)) return table;
  const [only, ...others] = Object.entries(table.value);
  if (only === undefined || others.length > 0 || !Array.isArray(only[1])) return table;
  const place = placeBelow(table.place, only[0]);
  return { ...table, value: only[1], place, placeOfRow: (key) => placeBelow(place, key) };
}
