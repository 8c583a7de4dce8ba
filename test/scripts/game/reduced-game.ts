import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { isObject, type Json, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import {
  defineTable,
  type RawGameDefinition,
  type TableDefinition,
} from '../../../scripts/read/definition.ts';
import { stemOf } from '../../../scripts/read/files.ts';
import { parseJson } from '../../../scripts/read/json.ts';
import { type Files, inFolder } from '../../support/fixtures.ts';

/** How many rows are kept of a table in one file, and of a table with one file per row. */
const ROWS = 2;
const FILES = 1;
/** A row with more entries than this is a table of texts. */
const MANY = 100;

/**
 * Reduces a shipped game to its first and newest build, its roster and one dataset, and each table to a few rows: the first characters,
 * and in other tables the rows with the same keys, or else the first rows. Texts are kept if a row names them.
 *
 * @param folder the folder of the shipped game
 * @returns for each dataset key, the files of a game that compiles without findings
 */
export async function reduceGame(folder: string): Promise<Map<string, Files>> {
  const read = (file: string) => readFile(path.join(folder, file), 'utf8');
  const game = parse(await read('game.json')) as unknown as RawGameDefinition;
  const builds = (await fastGlob('*/build.json', { cwd: folder })).map(path.posix.dirname).sort();
  const shared: Files = {};
  for (const file of await fastGlob('*/{build,pull_planner}.json', { cwd: folder })) {
    if (builds.slice(1, -1).includes(path.posix.dirname(file))) continue;
    shared[file] = await read(file);
  }
  let expressions = '';
  for (const file of await fastGlob('mapping/**', { cwd: folder })) {
    shared[file] = await read(file);
    expressions += shared[file];
  }
  const reduced = new Map<string, Files>();
  for (const [key, dataset] of Object.entries(game.datasets ?? {})) {
    const { roster, schemas, helpers } = game;
    const schema = schemas?.[key];
    const text = JSON.stringify([roster, dataset]) + expressions;
    const tables = Object.entries(game.tables ?? {}).filter(([name]) =>
      new RegExp(`\\b${name}\\b`).test(text),
    );
    const definition = {
      title: game.title,
      tables: Object.fromEntries(tables),
      ...(helpers && { helpers }),
      roster,
      datasets: { [key]: dataset },
      ...(schema && { schemas: { [key]: schema } }),
    };
    const ofDataset = Object.entries(shared).map(([file, content]) => [
      file,
      file.endsWith('build.json') ? keepOverrides(String(content), key) : content,
    ]);
    const files: Files = {
      ...Object.fromEntries(ofDataset),
      'game.json': JSON.stringify(definition, null, 1),
    };
    if (schema) files[schema] = await read(schema);
    const keys = new Set<string>();
    const names = new Set<string>();
    for (const build of new Set([builds[0], builds.at(-1)])) {
      const definitions = tables.map(([name, raw]) => defineTable(name, raw, ''));
      const ordered = definitions.sort((a, b) => orderOf(b, game) - orderOf(a, game));
      Object.assign(
        files,
        inFolder(`${build}`, await reduceTables(path.join(folder, `${build}`), ordered, keys, names)),
      );
    }
    reduced.set(key, files);
  }
  return reduced;
}

/** The checks that find something in two rows as well. */
const OF_FEW_ROWS = ['values-lost', 'categories-changed'];

/** A build.json with only the overrides of one dataset that few rows need. */
function keepOverrides(text: string, key: string): string {
  // What was amended concerns rows that are not kept.
  const {
    overrides = [],
    amended: _,
    ...build
  } = parse(text) as JsonObject & {
    overrides?: { check: string; of: string }[];
  };
  const kept = overrides.filter(({ check, of }) => OF_FEW_ROWS.includes(check) && of.split('.')[0] === key);
  return JSON.stringify({ ...build, overrides: kept }, null, 1);
}

async function reduceTables(
  cwd: string,
  definitions: readonly TableDefinition[],
  keys: Set<string>,
  names: Set<string>,
): Promise<Files> {
  const kept = new Map<string, Json>();
  for (const { files: pattern, at } of definitions) {
    const found = (await fastGlob(pattern, { cwd })).sort();
    const several = fastGlob.isDynamicPattern(pattern);
    const stems = several ? keepKeys(found.map(stemOf), FILES, keys) : undefined;
    for (const file of found) {
      if (stems?.has(stemOf(file)) === false) continue;
      const value = kept.get(file) ?? parse(await readFile(path.join(cwd, file), 'utf8'));
      kept.set(file, several ? value : cutAt(value, pointerSteps(at), keys));
    }
  }
  const named = [...kept.values()].filter((value) => !isObject(value) || !Object.values(value).some(isTexts));
  for (const name of JSON.stringify(named).match(/"[^"]+"/g) ?? []) names.add(name);
  return Object.fromEntries(
    [...kept].map(([file, value]) => [file, JSON.stringify(cutTexts(value, names), null, 1)]),
  );
}

/** The table of the roster comes first, then tables with one file per row: the names of their files are keys in other tables. */
function orderOf({ name, files }: TableDefinition, { roster }: Partial<RawGameDefinition>): number {
  return (roster?.from === name ? 2 : 0) + (fastGlob.isDynamicPattern(files) ? 1 : 0);
}

function parse(text: string): Json {
  const parsed = parseJson(text, '');
  if ('finding' in parsed) throw new Error(parsed.finding.found);
  return parsed.value;
}

/** The candidates that are known keys. If none is, the first candidates, which become known. */
function keepKeys(candidates: string[], most: number, keys: Set<string>): Set<string> {
  const known = candidates.filter((key) => keys.has(key));
  const kept = known.length > 0 ? known : candidates.slice(0, most);
  for (const key of kept) keys.add(key);
  return new Set(kept);
}

/** Cuts the table at these steps. Values beside it belong to no table. */
function cutAt(value: Json, steps: string[], keys: Set<string>): Json {
  const [step, ...rest] = steps;
  if (step !== undefined) return { [step]: cutAt((value as JsonObject)[step] as Json, rest, keys) };
  if (Array.isArray(value)) return value.slice(0, ROWS);
  if (!isObject(value) || Object.values(value).some(isTexts)) return value;
  const kept = keepKeys(Object.keys(value), ROWS, keys);
  return Object.fromEntries(Object.entries(value).filter(([key]) => kept.has(key)));
}

function isTexts(value: Json): boolean {
  return isObject(value) && Object.keys(value).length > MANY;
}

function cutTexts(value: Json, names: ReadonlySet<string>): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      isTexts(part)
        ? Object.fromEntries(
            Object.entries(part as JsonObject).filter(([name]) => names.has(JSON.stringify(name))),
          )
        : part,
    ]),
  );
}
