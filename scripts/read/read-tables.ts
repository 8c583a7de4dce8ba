import { readFile } from 'node:fs/promises';
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
import { parseCsv } from './csv.ts';
import type { TableDefinition } from './definition.ts';
import { parseJson } from './json.ts';
import type { BuildSource, GameSource } from './read-game.ts';
import { decodeText } from './text.ts';

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

/** A parsed file, and the line of each row where the format tells it (CSV). */
interface ParsedFile {
  value: Json;
  lines?: number[];
}

/** Which file stands for a path, by path inside the build's folder: the newest build's that has it. */
type Overlay = Map<string, string>;

const LOOSE_FILES = '*.{json,csv}';
const validKey = new RegExp(DATASET_KEY);

/**
 * Reads the tables of a game's builds one after the other, oldest first. A build has the files of the build before it, less those it
 * replaces and those it removes. A file that several builds share is read and parsed once.
 */
export async function* readTables(game: GameSource): AsyncGenerator<Outcome<BuildTables>> {
  const declared = game.builds.flatMap(({ definition }) => definition.tables.map(({ files }) => files));
  const patterns = [...new Set(declared), LOOSE_FILES];
  const overlays = new Map(patterns.map((pattern): [string, Overlay] => [pattern, new Map()]));
  const parsed = new Map<string, ParsedFile | undefined>();

  for (const source of game.builds) {
    const findings: Finding[] = [];
    const gone = source.removed.map((file) =>
      [...overlays.values()].map((overlay) => overlay.delete(file)).includes(true),
    );
    for (const [pattern, overlay] of overlays) await addFiles(overlay, pattern, source);
    findings.push(...findUselessRemovals(source, overlays, gone));
    dropReplaced(parsed, overlays);

    const read = (file: string) => parseOnce(file, parsed, findings);
    const tables = new Map<string, Table>();
    for (const definition of source.definition.tables) {
      const overlay = overlays.get(definition.files) as Overlay;
      const table = await readTable(definition, overlay, read, findings);
      if (table) tables.set(definition.name, table);
      else if (overlay.size === 0 && !definition.optional)
        findings.push(missingTable(definition, source, game.folder));
    }
    const claimed = new Set(
      source.definition.tables.flatMap(({ files }) => [...(overlays.get(files) as Overlay).values()]),
    );
    const served = await readServed(overlays.get(LOOSE_FILES) as Overlay, claimed, read, findings);
    yield { value: { source, tables, served }, findings };
  }
}

async function addFiles(overlay: Overlay, pattern: string, { folder }: BuildSource): Promise<void> {
  const files = await fastGlob(pattern, { cwd: folder, followSymbolicLinks: false, ignore: ['build.json'] });
  for (const file of files) overlay.set(file, path.posix.join(folder, file));
}

/** @param gone of each removed file whether an earlier build had it; one that none had is most likely misspelt */
function findUselessRemovals(
  { folder, removed }: BuildSource,
  overlays: Map<string, Overlay>,
  gone: boolean[],
): Finding[] {
  return removed.flatMap((file, index): Finding[] => {
    const back = [...overlays.values()].some((overlay) => overlay.has(file));
    if (!back && gone[index]) return [];
    return [
      {
        check: 'removed-files',
        severity: back ? 'error' : 'warning',
        place: { file: path.posix.join(folder, 'build.json'), pointer: pointerTo('/removed', index) },
        found: back ? `"${file}", which the build's own folder has` : `"${file}", which no table had`,
        expected: 'a file of an earlier build that is gone',
      },
    ];
  });
}

/** Forgets files that no later build can ask for. */
function dropReplaced(parsed: Map<string, ParsedFile | undefined>, overlays: Map<string, Overlay>): void {
  const current = new Set([...overlays.values()].flatMap((overlay) => [...overlay.values()]));
  for (const file of parsed.keys()) if (!current.has(file)) parsed.delete(file);
}

async function parseOnce(
  file: string,
  parsed: Map<string, ParsedFile | undefined>,
  findings: Finding[],
): Promise<ParsedFile | undefined> {
  if (!parsed.has(file)) parsed.set(file, await parseFile(file, findings));
  return parsed.get(file);
}

async function parseFile(file: string, findings: Finding[]): Promise<ParsedFile | undefined> {
  const text = decodeText(await readFile(file).catch(() => undefined), file);
  if ('finding' in text) {
    findings.push(text.finding);
    return undefined;
  }
  const extension = path.posix.extname(file);
  const outcome = extension === '.csv' ? parseCsv(text.value, file) : parseJson(text.value, file);
  if ('finding' in outcome) {
    findings.push(outcome.finding);
    return undefined;
  }
  if (!('findings' in outcome)) return outcome;
  addFindings(findings, outcome.findings);
  return { value: outcome.value.rows, lines: outcome.value.lines };
}

async function readTable(
  { name, files, at }: TableDefinition,
  overlay: Overlay,
  read: (file: string) => Promise<ParsedFile | undefined>,
  findings: Finding[],
): Promise<Table | undefined> {
  if (!fastGlob.isDynamicPattern(files)) {
    const file = overlay.get(files);
    const content = file && (await read(file));
    return file && content ? tableOfFile(name, file, at, content, findings) : undefined;
  }

  const rows = new Map<string, { value: Json; place: Place }>();
  for (const relative of [...overlay.keys()].sort(compareNatural)) {
    const file = overlay.get(relative) as string;
    const content = await read(file);
    const stem = path.posix.basename(file, path.posix.extname(file));
    const place = { file, pointer: at };
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
    const value = content && valueAt(content.value, place, findings);
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

function tableOfFile(
  name: string,
  file: string,
  at: string,
  { value, lines }: ParsedFile,
  findings: Finding[],
): Table | undefined {
  const place = { file, pointer: at };
  const table = valueAt(value, place, findings);
  if (table === undefined) return undefined;
  return {
    name,
    value: table,
    place,
    placeOfRow: (key) => {
      const line = lines?.[Number(key)];
      return { ...placeBelow(place, key), ...(line !== undefined && { line }) };
    },
  };
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
  read: (file: string) => Promise<ParsedFile | undefined>,
  findings: Finding[],
): Promise<Map<string, Table>> {
  const served = new Map<string, Table>();
  for (const [relative, file] of [...overlay].sort(([a], [b]) => compareNatural(a, b))) {
    if (claimed.has(file)) continue;
    const key = path.posix.basename(relative, path.posix.extname(relative));
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
            expected: 'either .json or .csv',
          }
        : undefined;
    if (problem) findings.push({ check: 'dataset-file', place: { file, pointer: '', line: 1 }, ...problem });
    if (problem?.severity === 'warning') continue;
    const content = await read(file);
    const table = content && tableOfFile(key, file, '', content, findings);
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
