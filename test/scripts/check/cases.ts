import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rule } from '../../../scripts/check/rules.ts';
import type { Finding } from '../../../scripts/findings.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';

export { table } from '../../support/table.ts';

/** The files of a small game by their paths in its folder. A title, a first build 1.0, a `pull_planner.json` and a character are added. */
export type Example = Readonly<Record<string, Json>>;

/** A check with a game in which only it finds one thing. */
export interface ExampleRule extends Rule {
  fails: Example;
  /** The name of the folder of `fails`, if the check examines it. */
  slug?: string;
}

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

/** Whether a finding says a text, in which … stands for anything. */
export function says({ found, expected, fix }: Finding, text: string): boolean {
  const said = [found, expected, fix].join('; ');
  let at = 0;
  return text.split('…').every((part) => {
    const index = said.indexOf(part, at);
    at = index + part.length;
    return index >= 0;
  });
}

/**
 * Registers a test for each row `input | places of findings, with ; between | what the first says` (see `says`).
 *
 * @param filesOf the files of a small game with an input
 */
export function testRows(suite: Test, rows: string[][], filesOf: (input: string) => Files): void {
  for (const [input = '', places = '', said = ''] of rows)
    suite(`${input.slice(0, 200)}: ${places || 'no finding'}`, async () => {
      const { findings } = await compileFiles(gameFiles(filesOf(input)));
      assert.is(placesOf(findings).join('; '), places);
      if (said) assert.ok(findings[0] && says(findings[0], said), JSON.stringify(findings[0]));
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
