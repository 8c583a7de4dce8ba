import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 440,
  'gateway/access': 936,
  'gateway/api': 2428,
  'gateway/client': 242,
  'gateway/commands': 776,
  'gateway/data': 1168,
  'gateway/http': 1386,
  'gateway/mcp': 322,
  'gateway/metrics': 112,
  'gateway/mirror': 253,
  'gateway/openapi': 788,
  'gateway/people': 4184,
  'gateway/query': 1343,
  'gateway/site': 4895,
  'gateway/store': 1366,
  scripts: 467,
  'scripts/bulk': 505,
  'scripts/changes': 1959,
  'scripts/check': 1238,
  'scripts/commands': 718,
  'scripts/compile': 2352,
  'scripts/corrections': 502,
  'scripts/diff': 1400,
  'scripts/dist': 571,
  'scripts/editor-schemas': 5,
  'scripts/format': 542,
  'scripts/notices': 89,
  'scripts/publish': 435,
  'scripts/read': 2420,
  'scripts/types': 253,
  'scripts/upstream': 5853,
  test: 241,
  'test/attack': 982,
  'test/bench': 914,
  'test/campaigns': 338,
  'test/data': 1146,
  'test/docs': 1224,
  'test/end-to-end': 1246,
  'test/faults': 916,
  'test/gateway': 13346,
  'test/golden': 1001,
  'test/runner': 19,
  'test/scripts': 10702,
  'test/support': 1230,
  'test/truth': 1485,
  'test/upstream': 1258,
};
const TOTALS = { source: 39948, tests: 36048 };

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
