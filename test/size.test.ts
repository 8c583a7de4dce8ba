import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 367,
  'gateway/access': 839,
  'gateway/api': 2277,
  'gateway/client': 217,
  'gateway/commands': 654,
  'gateway/data': 1007,
  'gateway/http': 1242,
  'gateway/mcp': 300,
  'gateway/metrics': 105,
  'gateway/mirror': 205,
  'gateway/openapi': 725,
  'gateway/people': 3981,
  'gateway/query': 1219,
  'gateway/site': 4824,
  'gateway/store': 1283,
  scripts: 457,
  'scripts/bulk': 430,
  'scripts/changes': 2059,
  'scripts/check': 1147,
  'scripts/commands': 697,
  'scripts/compile': 2832,
  'scripts/corrections': 446,
  'scripts/diff': 1539,
  'scripts/dist': 548,
  'scripts/editor-schemas': 5,
  'scripts/format': 529,
  'scripts/notices': 45,
  'scripts/publish': 413,
  'scripts/read': 2413,
  'scripts/types': 202,
  'scripts/upstream': 4993,
  test: 241,
  'test/attack': 982,
  'test/bench': 926,
  'test/campaigns': 338,
  'test/data': 1190,
  'test/docs': 1202,
  'test/end-to-end': 1168,
  'test/faults': 810,
  'test/gateway': 13072,
  'test/golden': 1008,
  'test/runner': 21,
  'test/scripts': 11050,
  'test/support': 1264,
  'test/truth': 1503,
  'test/upstream': 1184,
};
const TOTALS = { source: 38000, tests: 35959 };

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
