import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../../../support/paths.ts';

const test = suite('README of counters');

function read(...names: string[]): string {
  return readFileSync(join(ROOT, ...names), 'utf8');
}

test('each test that it names is there', () => {
  const readme = read('gateway', 'store', 'counters', 'README.md').replaceAll('\n', ' ');
  const files = ['counter-log.test.ts', 'counter-log.process.test.ts'];
  const tests = files.map((file) => read('test', 'gateway', 'store', 'counters', file)).join('');
  const names = [...readme.matchAll(/"([^"`]{20,})"/g)].map(([, name]) => name);
  assert.ok(names.length > 15, `${names.length}`);
  assert.equal(
    names.filter((name) => !tests.includes(`'${name}'`)),
    [],
  );
});

test.run();
