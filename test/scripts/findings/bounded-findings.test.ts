import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFindings } from '../../../scripts/check/report.ts';
import { BoundedFindings, type CheckName, type Finding } from '../../../scripts/findings.ts';

const test = suite('bounded findings');

function rowFindings(file: string, check: CheckName, count: number): Finding[] {
  return Array.from({ length: count }, (_, row) => {
    return { check, severity: 'error', place: { file, pointer: `/${row}` }, found: 'this', expected: 'that' };
  });
}

test('for each check and file, the first findings are kept and the others counted', () => {
  const findings = new BoundedFindings();
  findings.add(rowFindings('a', 'ids', 400), rowFindings('b', 'ids', 2), rowFindings('a', 'slug', 21));
  const list = findings.list();
  assert.equal(
    list.filter(({ place, check }) => place.file === 'a' && check === 'ids').map(({ more }) => more ?? 0),
    [...Array(19).fill(0), 380],
  );
  assert.is(list.length, 20 + 2 + 20);
  assert.is(countFindings(list).errors, 400 + 2 + 21);
});

test('equal findings count once, whether kept or not', () => {
  const findings = new BoundedFindings();
  for (let build = 0; build < 3; build++) findings.add(rowFindings('a', 'ids', 100));
  assert.equal(findings.list().length, 20);
  assert.is(countFindings(findings.list()).errors, 100);
});

test('findings within the limit are returned unchanged', () => {
  const findings = new BoundedFindings();
  findings.add(rowFindings('a', 'ids', 20));
  assert.equal(findings.list(), rowFindings('a', 'ids', 20));
});

test.run();
