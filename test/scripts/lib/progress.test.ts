import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress } from '../../../scripts/system.ts';

const test = suite('progress');

/** A stream that records what is written to it. */
function createStream(isTTY: boolean, columns: number): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { stream: { isTTY, columns, write } as unknown as NodeJS.WriteStream, written };
}

const CLEAR_TO_END = '\u001b[K';

/** What a terminal shows: a carriage return moves to the start of the line, and `ESC [K` clears from the cursor to the end of the line. */
function showOnTerminal(written: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  let column = 0;
  for (const character of written.join('').replaceAll(CLEAR_TO_END, '\0')) {
    if (character === '\r') column = 0;
    else if (character === '\0') line = line.slice(0, column);
    else if (character === '\n') {
      lines.push(line);
      line = '';
      column = 0;
    } else {
      line = line.slice(0, column) + character + line.slice(column + 1);
      column++;
    }
  }
  return [...lines, line];
}

test('on a terminal, one line is rewritten, replaced by finished lines, and removed at the end', () => {
  const { stream, written } = createStream(true, 40);
  const progress = createProgress(stream);
  const shown: string[][] = [];
  for (const act of [
    () => progress.step('compiling a game with a long name'),
    () => progress.step('compiling b'),
    () => progress.done('a: 1 build'),
    () => progress.step('writing'),
    () => progress.clear(),
  ]) {
    act();
    shown.push(showOnTerminal(written));
  }
  assert.equal(shown, [
    ['compiling a game with a long name'],
    ['compiling b'],
    ['a: 1 build', ''],
    ['a: 1 build', 'writing'],
    ['a: 1 build', ''],
  ]);
});

test('on a terminal, the changing line is truncated so that it never wraps; finished lines are not', () => {
  const { stream, written } = createStream(true, 10);
  const progress = createProgress(stream);
  progress.step('0123456789abc');
  assert.equal(showOnTerminal(written), ['012345678']);
  progress.done('0123456789abc');
  assert.equal(showOnTerminal(written), ['0123456789abc', '']);
});

test('a terminal that does not report its columns counts as 80 columns wide', () => {
  const { stream, written } = createStream(true, 0);
  createProgress(stream).step('x'.repeat(100));
  assert.equal(showOnTerminal(written), ['x'.repeat(79)]);
});

test('without a terminal, only finished lines are written', () => {
  const { stream, written } = createStream(false, 10);
  const progress = createProgress(stream);
  progress.step('compiling a');
  progress.done('a: 1 build, 12 characters');
  progress.step('compiling b');
  progress.clear();
  progress.done('b: 2 builds');
  assert.is(written.join(''), 'a: 1 build, 12 characters\nb: 2 builds\n');
});

test.run();
