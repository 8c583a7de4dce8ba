import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 725,
  'gateway/access': 1019,
  'gateway/api': 3067,
  'gateway/client': 256,
  'gateway/commands': 813,
  'gateway/data': 1284,
  'gateway/http': 1489,
  'gateway/mcp': 477,
  'gateway/metrics': 165,
  'gateway/mirror': 308,
  'gateway/openapi': 927,
  'gateway/people': 6490,
  'gateway/query': 1636,
  'gateway/site': 6244,
  'gateway/store': 1574,
  scripts: 471,
  'scripts/bulk': 672,
  'scripts/changes': 2302,
  'scripts/check': 1495,
  'scripts/commands': 926,
  'scripts/compile': 2955,
  'scripts/corrections': 586,
  'scripts/diff': 1151,
  'scripts/dist': 652,
  'scripts/editor-schemas': 5,
  'scripts/format': 551,
  'scripts/notices': 94,
  'scripts/publish': 533,
  'scripts/read': 3442,
  'scripts/types': 351,
  'scripts/upstream': 8169,
  test: 275,
  'test/attack': 989,
  'test/bench': 919,
  'test/campaigns': 334,
  'test/data': 868,
  'test/docs': 1206,
  'test/end-to-end': 1126,
  'test/faults': 796,
  'test/gateway': 19047,
  'test/golden': 990,
  'test/runner': 19,
  'test/scripts': 11627,
  'test/support': 1259,
  'test/truth': 1592,
  'test/upstream': 2274,
};
const TOTALS = { source: 50829, tests: 43321 };

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
