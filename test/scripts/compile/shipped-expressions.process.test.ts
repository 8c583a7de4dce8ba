import path from 'node:path';
import jsonata from 'jsonata';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { selectRows } from '../../../scripts/compile/compile-build.ts';
import { type Expression, type Helpers, rootOf } from '../../../scripts/compile/expression.ts';
import type { Parsed } from '../../../scripts/compile/jsonata.ts';
import { addFunctions } from '../../../scripts/compile/library.ts';
import { compileGameHelpers, compileMappings, type MappedRows } from '../../../scripts/compile/mapping.ts';
import { NO_REPORTER } from '../../../scripts/findings.ts';
import { readGame } from '../../../scripts/read/game.ts';
import { findBuildFiles } from '../../../scripts/read/tables.ts';

const test = suite('shipped expressions');

/** How many rows of each list are evaluated by both. */
const MAX_ROWS = 5;

/** Parses a text with the package as published. */
function parsePublished(text: string): jsonata.Expression {
  const parsed = jsonata(text);
  addFunctions(parsed as unknown as Parsed);
  return parsed;
}

/** Evaluates the functions that a game's expressions share, and returns them by name. */
async function evaluateHelpers({ text, names }: Helpers, tables: unknown): Promise<Record<string, unknown>> {
  const parsed = parsePublished(text);
  let block = rootOf(parsed.ast());
  while (block.expressions?.length === 1 && block.expressions[0]?.type === 'block')
    block = block.expressions[0];
  const all = [...names].map((name) => `"${name}": $${name}`).join();
  block.expressions?.push(rootOf(jsonata(`{${all}}`).ast()));
  return (await parsed.evaluate(undefined, { tables })) as Record<string, unknown>;
}

for (const slug of ['genshin-impact', 'limbus-company', 'project-sekai', 'pokemon-tcg-pocket']) {
  test(`the expressions of ${slug} have the same results as in the package`, async () => {
    const { value: game } = await readGame(path.join('data', slug), slug);
    const newest = game?.builds.at(-1);
    assert.ok(game && newest);
    const mapping = compileMappings(game).value.get(newest.definition);
    const helpers = compileGameHelpers(game).value;
    let count = 0;
    for await (const files of findBuildFiles(game, NO_REPORTER)) {
      if (files.source !== newest) continue;
      const { value: tables } = await files.read();
      const values = Object.fromEntries([...tables.tables].map(([name, { value }]) => [name, value]));
      const functions = helpers ? await evaluateHelpers(helpers, values) : {};
      const lists: (Partial<MappedRows> & { record?: Expression })[] = [
        mapping?.roster ?? {},
        ...[...(mapping?.datasets.values() ?? [])].flatMap((each) => ('entry' in each ? [each] : [])),
      ];
      for (const list of lists.filter(({ entry }) => entry)) {
        const run = { tables, values, findings: [], steps: NO_REPORTER };
        const rows = [...selectRows(run, list as MappedRows)].map(({ row, bindings }) => ({ row, bindings }));
        const step = Math.ceil(rows.length / MAX_ROWS);
        for (const expression of [list.where, list.entry, list.record]) {
          if (!expression) continue;
          const published = parsePublished(expression.parsed.text);
          for (const [name, value] of Object.entries(functions)) published.assign(name, value);
          for (const { row, bindings } of rows.filter((_, at) => at % step === 0)) {
            const expected = JSON.stringify(await published.evaluate(row, bindings));
            assert.is(JSON.stringify(expression.evaluate(row, bindings)), expected);
            count++;
          }
        }
      }
    }
    assert.ok(count > 0);
  });
}

test.run();
