import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 363,
  'gateway/access': 834,
  'gateway/api': 2296,
  'gateway/client': 216,
  'gateway/commands': 660,
  'gateway/data': 1028,
  'gateway/http': 1249,
  'gateway/mcp': 300,
  'gateway/metrics': 104,
  'gateway/mirror': 201,
  'gateway/openapi': 726,
  'gateway/people': 3907,
  'gateway/query': 1217,
  'gateway/site': 4791,
  'gateway/store': 1288,
  scripts: 422,
  'scripts/bulk': 444,
  'scripts/changes': 1969,
  'scripts/check': 1180,
  'scripts/commands': 726,
  'scripts/compile': 2807,
  'scripts/corrections': 464,
  'scripts/diff': 1543,
  'scripts/dist': 595,
  'scripts/editor-schemas': 5,
  'scripts/format': 526,
  'scripts/notices': 89,
  'scripts/publish': 393,
  'scripts/read': 2423,
  'scripts/types': 199,
  'scripts/upstream': 4995,
  test: 241,
  'test/attack': 982,
  'test/bench': 925,
  'test/campaigns': 338,
  'test/data': 1185,
  'test/docs': 1223,
  'test/end-to-end': 1246,
  'test/faults': 810,
  'test/gateway': 13105,
  'test/golden': 1008,
  'test/runner': 19,
  'test/scripts': 11012,
  'test/support': 1228,
  'test/truth': 1489,
  'test/upstream': 1187,
};
const TOTALS = { source: 37960, tests: 35998 };

function countLines(file: string): number {
  const text = readFileSync(path.join(ROOT, file), 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '');
  return text.split('\n').filter((line) => line.trim() && !/^\s*(\/\/|#(?!!)|--\s)/.test(line)).length;
}

const size = suite('the size of the code');

size('stays within the budget of each room, and in all', () => {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'gateway', 'scripts', 'test'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const files = listed.split('\n').filter((file) => /\.(m?ts|tsx|m?js|css|py|sql|sh)$/.test(file));
  const lines: Record<string, number> = {};
  const totals = { source: 0, tests: 0 };
  for (const file of files) {
    const count = countLines(file);
    const [top = '', room = '', ...rest] = file.split('/');
    const name = rest.length > 0 ? `${top}/${room}` : top;
    lines[name] = (lines[name] ?? 0) + count;
    totals[top === 'test' ? 'tests' : 'source'] += count;
  }
  const over = Object.entries({ ...lines, ...totals }).flatMap(([room, count]) => {
    const budget = { ...BUDGETS, ...TOTALS }[room] ?? 0;
    return count > budget
      ? [
          `${room} has ${count} lines, ${count - budget} above its budget: lower another room's budget or remove code`,
        ]
      : [];
  });
  assert.equal(over, []);
});

size.run();
