import path from 'node:path';
import fastGlob from 'fast-glob';
import { compareNatural, DATASET_KEY, isObject, type Json } from '../dist-format.ts';
import {
  addFindings,
  type Finding,
  type Outcome,
  type Place,
  placeBelow,
  pointerSteps,
  pointerTo,
} from '../findings.ts';
import type { ReadOptions } from './format.ts';
import { formatOf, KNOWN_FILES, stemOf } from './formats.ts';
import { keyTable } from './key-table.ts';
import { advanceOverlays, type Overlay, type Overlays } from './overlays.ts';
import { parseFile } from './read-file.ts';
import type { BuildSource, GameSource } from './read-game.ts';
import type { TableDefinition } from './table-definition.ts';

/** A raw table: its value, and where each of its rows stands. */
export interface Table {
  name: string;
  value: Json;
  place: Place;
  /** Where the row with this key (property name, file stem or index) stands. */
  placeOfRow(key: string | number): Place;
}

/** A build with its tables: what the compile stage works on. */
export interface BuildTables {
  source: BuildSource;
  /** The tables that `game.json` names. */
  tables: Map<string, Table>;
  /** Files in the top of the build's folder that no table names: already in the served form, by dataset key or `characters`. */
  served: Map<string, Table>;
}

/** Reads a file as a table declares; undefined where it cannot be parsed. */
type ReadValue = (file: string, options: ReadOptions) => Promise<Json | undefined>;

const validKey = new RegExp(DATASET_KEY);

/**
 * Reads the tables of a game's builds one after the other, oldest first. A build has the files of the build before it, less those it
 * replaces and those it removes. A file that several builds share is read and parsed once.
 */
export async function* readTables(game: GameSource): AsyncGenerator<Outcome<BuildTables>> {
  const declared = game.builds.flatMap(({ definition }) => definition.tables.map(({ files }) => files));
  const patterns = [...new Set(declared), KNOWN_FILES];
  const overlays: Overlays = new Map(patterns.map((pattern) => [pattern, new Map()]));
  const parsed: ParsedFiles = new Map();

  for (const source of game.builds) {
    const findings: Finding[] = [];
    addFindings(findings, await advanceOverlays(overlays, source));
    dropReplaced(parsed, overlays);

    const read: ReadValue = (file, options) => parseOnce(file, options, parsed, findings);
    const tables = new Map<string, Table>();
    for (const definition of source.definition.tables) {
      const overlay = overlays.get(definition.files) as Overlay;
      findings.push(...findIdleOptions(definition, overlay, game.folder));
      const table = await readTable(definition, overlay, read, findings);
      if (table) tables.set(definition.name, table);
      else if (overlay.size === 0 && !definition.optional)
        findings.push(missingTable(definition, source, game.folder));
    }
    const claimed = new Set(
      source.definition.tables.flatMap(({ files }) => [...(overlays.get(files) as Overlay).values()]),
    );
    const served = await readServed(overlays.get(KNOWN_FILES) as Overlay, claimed, read, findings);
    yield { value: { source, tables, served }, findings };
  }
}

/** What the files hold that were parsed, by path and by the options with which they were read. */
type ParsedFiles = Map<string, Map<string, Json | undefined>>;

/** Forgets files that no later build can ask for. */
function dropReplaced(parsed: ParsedFiles, overlays: Overlays): void {
  const current = new Set([...overlays.values()].flatMap((overlay) => [...overlay.values()]));
  for (const file of parsed.keys()) if (!current.has(file)) parsed.delete(file);
}

async function parseOnce(
  file: string,
  options: ReadOptions,
  parsed: ParsedFiles,
  findings: Finding[],
): Promise<Json | undefined> {
  const readings = parsed.get(file) ?? new Map<string, Json | undefined>();
  parsed.set(file, readings);
  const reading = JSON.stringify(options);
  if (!readings.has(reading)) {
    const outcome = await parseFile(file, options);
    addFindings(findings, 'finding' in outcome ? [outcome.finding] : outcome.findings);
    readings.set(reading, 'value' in outcome ? outcome.value : undefined);
  }
  return readings.get(reading);
}

/** Options that the format of a table's files does not have would be of no effect, in silence. */
function findIdleOptions({ pointer, reading }: TableDefinition, overlay: Overlay, folder: string): Finding[] {
  const options = (Object.keys(reading) as (keyof ReadOptions)[]).filter((option) => option !== 'format');
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
        found: `"${option}", which ${file} cannot be read with`,
        expected: 'an option of the format of all files of the table',
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
  return table && key ? keyTable(table, key, findings) : table;
}

/** Places name the options only where a table has some. */
function withOptions(reading: ReadOptions): { reading?: ReadOptions } {
  return Object.keys(reading).length > 0 ? { reading } : {};
}

/** A table of a file a row: an object keyed by file stem. */
async function readFileRows(
  { name, at, reading }: TableDefinition,
  overlay: Overlay,
  read: ReadValue,
  findings: Finding[],
): Promise<Table | undefined> {
  const rows = new Map<string, { value: Json; place: Place }>();
  for (const relative of [...overlay.keys()].sort(compareNatural)) {
    const file = overlay.get(relative) as string;
    const content = await read(file, reading);
    const stem = stemOf(file);
    const place = { file, pointer: at, ...withOptions(reading) };
    const twin = rows.get(stem);
    if (twin) {
      findings.push({
        check: 'table-files',
        severity: 'error',
        place: { ...place, line: 1 },
        found: `a second file with the stem "${stem}", beside ${twin.place.file}`,
        expected: `stems that are distinct, since they are the keys of table "${name}"`,
      });
    }
    const value = content === undefined ? undefined : valueAt(content, place, findings);
    if (value !== undefined) rows.set(stem, { value, place });
  }
  if (rows.size === 0) return undefined;
  const [first] = rows.values();
  const place = (first as { place: Place }).place;
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
      expected: `the table that game.json says is at "${place.pointer}"`,
    });
  }
  return at;
}

function missingTable(
  { pointer, name, files }: TableDefinition,
  { build }: BuildSource,
  folder: string,
): Finding {
  return {
    check: 'table-files',
    severity: 'error',
    place: { file: path.posix.join(folder, 'game.json'), pointer },
    found: `no file "${files}" in build ${build} or before it`,
    expected: `the files of table "${name}"`,
    fix: 'mend the path, or declare the table {"files": …, "optional": true} if builds may lack it',
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
          found: `a file named "${relative}", which is left out`,
          expected: 'a dataset key in snake_case as its stem, or a table in game.json that names it',
        }
      : served.has(key)
        ? {
            severity: 'error' as const,
            found: `a second file for "${key}"`,
            expected: 'one file for a dataset, of any format',
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

/** An object is taken for a wrapper only when an array is its one property. */
function unwrap(table: Table): Table {
  if (!isObject(table.value)) return table;
  const [only, ...others] = Object.entries(table.value);
  if (only === undefined || others.length > 0 || !Array.isArray(only[1])) return table;
  const place = placeBelow(table.place, only[0]);
  return { ...table, value: only[1], place, placeOfRow: (key) => placeBelow(place, key) };
}
