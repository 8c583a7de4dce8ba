import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, of each room. A budget may only fall: lower it to what is there after each change. */
const BUDGETS: Readonly<Record<string, number>> = {
  gateway: 622,
  'gateway/access': 933,
  'gateway/addresses': 20,
  'gateway/api': 1583,
  'gateway/attempts': 64,
  'gateway/attributes': 41,
  'gateway/browse': 267,
  'gateway/bulk': 398,
  'gateway/client': 251,
  'gateway/commands': 732,
  'gateway/data': 1182,
  'gateway/fast-wire': 80,
  'gateway/freshness': 26,
  'gateway/http': 1317,
  'gateway/input': 7,
  'gateway/links': 290,
  'gateway/mcp': 657,
  'gateway/metrics': 215,
  'gateway/mirror': 904,
  'gateway/networks': 32,
  'gateway/openapi': 1707,
  'gateway/pages': 137,
  'gateway/people': 8879,
  'gateway/query': 1250,
  'gateway/replies': 32,
  'gateway/search': 547,
  'gateway/series': 135,
  'gateway/shares': 40,
  'gateway/site': 6287,
  'gateway/store': 1633,
  'gateway/tables': 442,
  'gateway/watch': 57,
  'gateway/workers': 74,
  scripts: 461,
  'scripts/bulk': 672,
  'scripts/changes': 2284,
  'scripts/check': 1338,
  'scripts/commands': 929,
  'scripts/compile': 3113,
  'scripts/corrections': 585,
  'scripts/diff': 1157,
  'scripts/dist': 653,
  'scripts/editor-schemas': 5,
  'scripts/findings': 6,
  'scripts/format': 551,
  'scripts/game': 1,
  'scripts/git': 3,
  'scripts/lib': 39,
  'scripts/notices': 94,
  'scripts/patches': 4,
  'scripts/publication': 81,
  'scripts/publish': 533,
  'scripts/read': 3430,
  'scripts/recorded': 2,
  'scripts/records': 7,
  'scripts/report': 154,
  'scripts/reuse': 1,
  'scripts/schemas': 3,
  'scripts/types': 351,
  'scripts/upstream': 9465,
  'scripts/watchdog': 2,
  'scripts/workers': 2,
  test: 273,
  'test/attack': 1588,
  'test/bench': 1255,
  'test/campaigns': 343,
  'test/data': 867,
  'test/docs': 769,
  'test/end-to-end': 971,
  'test/faults': 1054,
  'test/gateway': 20897,
  'test/golden': 990,
  'test/runner': 19,
  'test/scripts': 15833,
  'test/support': 3185,
  'test/truth': 1597,
  'test/upstream': 2279,
};
const TOTALS = { source: 56767, tests: 51920 };

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
