import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Example } from '../../../scripts/check/rules.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

/** Records as the text of a JSON file: one per line, from line 2 on. */
export function linesOf(...records: string[]): string {
  return `[\n${records.join(',\n')}\n]`;
}

/** A game whose dataset `d` or roster is made by a mapping that returns each row unchanged; the file of the rows is made by `linesOf`. */
export function mappedAsIs(list: 'characters' | 'd', rows: string): Files {
  const rowMapping = { from: 'rows', entry: '$' };
  return {
    'game.json': JSON.stringify({
      title: 'Game',
      tables: { rows: 'raw/rows.json' },
      ...(list === 'characters' ? { roster: rowMapping } : { datasets: { d: rowMapping } }),
    }),
    ...(list === 'characters' && { '1.0/characters.json': undefined }),
    '1.0/raw/rows.json': rows,
  };
}

/** The files of two builds, 1.0 and 1.1, with the lists or objects of each; `overrides` are those of 1.1. */
export function twoBuilds(
  before: Record<string, Json>,
  after: Record<string, Json>,
  overrides: JsonObject[] = [],
): Files {
  const inBuild = (build: string, files: Record<string, Json>) =>
    Object.fromEntries(Object.entries(files).map(([key, value]) => [`${build}/${key}.json`, value]));
  return {
    '1.1/build.json': { released_at: '2026-01-02', overrides },
    ...inBuild('1.0', before),
    ...inBuild('1.1', after),
  };
}

/** Makes `count` records with distinct ids and names, and with the attributes that `more` returns for each. */
export function manyRecords(count: number, more: (index: number) => JsonObject = () => ({})): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `id-${index}`,
    name: `Name ${index}`,
    ...more(index),
  }));
}

/** Registers a test: a small game with these files has exactly these findings, `<check> <file>:<line> <pointer>`. */
export function testFindings(
  suite: Test,
  name: string,
  files: Files,
  expected: string[],
  found?: RegExp,
): void {
  suite(name, async () => {
    const { findings } = await compileFiles(gameFiles(files));
    assert.equal(placesOf(findings), expected);
    if (found) assert.match(findings[0]?.found ?? '', found);
  });
}

/**
 * An example with a mapping that makes the dataset `items`.
 *
 * @param items the mapping, as in game.json
 * @param tables the rows of each table; those that have an `id` are keyed by it
 */
export function mappingExample(items: Json, tables: Record<string, JsonObject[]>): Example {
  const names = Object.entries(tables);
  const definitions = names.map(([name, rows]): [string, Json] => {
    const path = `raw/${name}.json`;
    return [name, rows.some(({ id }) => id !== undefined) ? { files: path, key: 'id' } : path];
  });
  return {
    'game.json': { title: 'Game', tables: Object.fromEntries(definitions), datasets: { items } },
    ...Object.fromEntries(names.map(([name, rows]): [string, Json] => [`1.0/raw/${name}.json`, rows])),
  };
}
