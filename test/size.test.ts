import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 672,
  'gateway/access': 1014,
  'gateway/api': 3318,
  'gateway/client': 256,
  'gateway/commands': 956,
  'gateway/data': 1425,
  'gateway/http': 1408,
  'gateway/mcp': 469,
  'gateway/metrics': 132,
  'gateway/mirror': 311,
  'gateway/openapi': 967,
  'gateway/people': 6035,
  'gateway/query': 1561,
  'gateway/site': 6059,
  'gateway/store': 1558,
  scripts: 470,
  'scripts/bulk': 627,
  'scripts/changes': 2333,
  'scripts/check': 1524,
  'scripts/commands': 929,
  'scripts/compile': 3013,
  'scripts/corrections': 641,
  'scripts/diff': 1395,
  'scripts/dist': 660,
  'scripts/editor-schemas': 5,
  'scripts/format': 501,
  'scripts/notices': 94,
  'scripts/publish': 515,
  'scripts/read': 2917,
  'scripts/types': 285,
  'scripts/upstream': 7908,
  test: 244,
  'test/attack': 995,
  'test/bench': 920,
  'test/campaigns': 338,
  'test/data': 1026,
  'test/docs': 1228,
  'test/end-to-end': 1126,
  'test/faults': 798,
  'test/gateway': 16088,
  'test/golden': 1004,
  'test/runner': 19,
  'test/scripts': 11818,
  'test/support': 1262,
  'test/truth': 1588,
  'test/upstream': 2275,
};
const TOTALS = { source: 49958, tests: 40729 };

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
