import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. The totals may only fall, and a room grows only by what others lose: set them to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 366,
  'gateway/access': 798,
  'gateway/api': 2365,
  'gateway/client': 217,
  'gateway/commands': 627,
  'gateway/data': 1003,
  'gateway/http': 1246,
  'gateway/mcp': 300,
  'gateway/metrics': 105,
  'gateway/mirror': 205,
  'gateway/openapi': 725,
  'gateway/people': 3939,
  'gateway/query': 1199,
  'gateway/site': 4923,
  'gateway/store': 1239,
  scripts: 450,
  'scripts/bulk': 430,
  'scripts/changes': 2220,
  'scripts/check': 1134,
  'scripts/commands': 691,
  'scripts/compile': 2729,
  'scripts/corrections': 444,
  'scripts/diff': 1558,
  'scripts/dist': 519,
  'scripts/editor-schemas': 5,
  'scripts/format': 528,
  'scripts/notices': 45,
  'scripts/publish': 413,
  'scripts/read': 2404,
  'scripts/types': 202,
  'scripts/upstream': 4957,
  test: 241,
  'test/attack': 977,
  'test/bench': 926,
  'test/campaigns': 319,
  'test/data': 1190,
  'test/docs': 1202,
  'test/end-to-end': 1168,
  'test/faults': 809,
  'test/gateway': 13136,
  'test/golden': 995,
  'test/runner': 21,
  'test/scripts': 11093,
  'test/support': 1258,
  'test/truth': 1453,
  'test/upstream': 1156,
};
const TOTALS = { source: 37986, tests: 35944 };

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
