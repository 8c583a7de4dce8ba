import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 606,
  'gateway/access': 1014,
  'gateway/api': 2951,
  'gateway/client': 256,
  'gateway/commands': 947,
  'gateway/data': 1273,
  'gateway/http': 1395,
  'gateway/mcp': 474,
  'gateway/metrics': 132,
  'gateway/mirror': 289,
  'gateway/openapi': 954,
  'gateway/people': 5133,
  'gateway/query': 1513,
  'gateway/site': 5834,
  'gateway/store': 1461,
  scripts: 477,
  'scripts/bulk': 561,
  'scripts/changes': 2239,
  'scripts/check': 1460,
  'scripts/commands': 830,
  'scripts/compile': 2746,
  'scripts/corrections': 553,
  'scripts/diff': 1608,
  'scripts/dist': 659,
  'scripts/editor-schemas': 5,
  'scripts/format': 542,
  'scripts/notices': 94,
  'scripts/publish': 485,
  'scripts/read': 2701,
  'scripts/types': 285,
  'scripts/upstream': 7238,
  test: 244,
  'test/attack': 997,
  'test/bench': 920,
  'test/campaigns': 338,
  'test/data': 1136,
  'test/docs': 1233,
  'test/end-to-end': 1273,
  'test/faults': 916,
  'test/gateway': 14573,
  'test/golden': 1005,
  'test/runner': 19,
  'test/scripts': 11534,
  'test/support': 1249,
  'test/truth': 1498,
  'test/upstream': 1294,
};
const TOTALS = { source: 46715, tests: 38229 };

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
