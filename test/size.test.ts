import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 600,
  'gateway/access': 1040,
  'gateway/api': 2921,
  'gateway/client': 256,
  'gateway/commands': 966,
  'gateway/data': 1316,
  'gateway/http': 1402,
  'gateway/mcp': 469,
  'gateway/metrics': 132,
  'gateway/mirror': 312,
  'gateway/openapi': 956,
  'gateway/people': 5438,
  'gateway/query': 1561,
  'gateway/site': 5832,
  'gateway/store': 1447,
  scripts: 473,
  'scripts/bulk': 561,
  'scripts/changes': 2236,
  'scripts/check': 1472,
  'scripts/commands': 924,
  'scripts/compile': 2796,
  'scripts/corrections': 553,
  'scripts/diff': 1505,
  'scripts/dist': 660,
  'scripts/editor-schemas': 5,
  'scripts/format': 509,
  'scripts/notices': 94,
  'scripts/publish': 498,
  'scripts/read': 2782,
  'scripts/types': 285,
  'scripts/upstream': 7571,
  test: 244,
  'test/attack': 996,
  'test/bench': 920,
  'test/campaigns': 338,
  'test/data': 1074,
  'test/docs': 1228,
  'test/end-to-end': 1274,
  'test/faults': 924,
  'test/gateway': 14588,
  'test/golden': 1004,
  'test/runner': 19,
  'test/scripts': 11597,
  'test/support': 1249,
  'test/truth': 1587,
  'test/upstream': 1495,
};
const TOTALS = { source: 47572, tests: 38537 };

function countLines(file: string): number {
  const text = readFileSync(path.join(ROOT, file), 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '');
  return text.split('\n').filter((line) => line.trim() && !/^\s*(\/\/|#(?!!)|--\s)/.test(line)).length;
}

const size = suite('the size of the code');

size('stays within the budget of each room, and in all', () => {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'gateway', 'scripts', 'test'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
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
