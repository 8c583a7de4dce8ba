import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/paths.ts';

/** The most lines of code, without blank lines and comments, that each room may have. A budget may only fall. */
const BUDGETS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(path.join(ROOT, 'test/size.json'), 'utf8'),
);

const CODE = /\.(?:ts|tsx|mts|mjs|js|css|sh|py)$/;
/** Data of tests and documents. */
const LEFT_OUT = /^(?:data|docs)\/|^test\/golden\/(?:data|record)\/|^test\/upstream\/definitions\//;

/** The room of a file: the first folder below scripts/, gateway/ and test/. */
function roomOf(file: string): string {
  const [top = '', room = '', ...rest] = file.split('/');
  return rest.length > 0 && top !== '.ci' ? `${top}/${room}` : top;
}

function countLines(text: string): number {
  const withoutBlocks = text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/\{\/\*[\s\S]*?\*\/\}/g, '');
  return withoutBlocks.split('\n').filter((line) => !/^\s*(?:\/\/|#(?!!)|$)/.test(line)).length;
}

const size = suite('the size of the code');

size('stays within the budget of each room', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const lines = new Map<string, number>();
  for (const file of listed.split('\n').filter((one) => CODE.test(one) && !LEFT_OUT.test(one))) {
    const room = roomOf(file);
    lines.set(room, (lines.get(room) ?? 0) + countLines(readFileSync(path.join(ROOT, file), 'utf8')));
  }
  const over = [...lines].flatMap(([room, count]) => {
    const budget = BUDGETS[room] ?? 0;
    return count > budget
      ? [
          `${room} has ${count} lines, ${count - budget} more than its budget of ${budget}: lower another room's budget or remove code`,
        ]
      : [];
  });
  assert.equal(over, []);
});

size.run();
