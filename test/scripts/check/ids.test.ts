import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { linesOf, mappedAsIs, testFindings } from './cases.ts';

const test = suite('check ids');

testFindings(
  test,
  'a dataset may have ids',
  { '1.0/d.json': linesOf('{"id": "a"}', '{"id": "A"}', '{"id": 1}') },
  [],
);
testFindings(test, 'a dataset may have no ids', { '1.0/d.json': linesOf('{"x": 1}', '{"x": 1}') }, []);
testFindings(
  test,
  'ids like __proto__ are ids',
  { '1.0/d.json': linesOf('{"id": "__proto__"}', '{"id": "constructor"}') },
  [],
);

const bad: [why: string, rows: string, line: number, pointer: string, found: RegExp][] = [
  [
    'the same id twice',
    linesOf('{"id": "a"}', '{"id": "b"}', '{"id": "a"}'),
    4,
    '/2/id',
    /"a" a second time/,
  ],
  [
    'a number and a text of the same digits',
    linesOf('{"id": "1"}', '{"id": 1}'),
    3,
    '/1/id',
    /"1" a second time/,
  ],
  ['a record without id among others', linesOf('{"id": "a"}', '{"x": 1}'), 3, '/1/id', /^nothing/],
  ['an empty id', linesOf('{"id": "a"}', '{"id": ""}'), 3, '/1/id', /the text ""/],
  ['an id with a comma', linesOf('{"id": "a,b"}'), 2, '/0/id', /the text "a,b"/],
  ['an id that is not a text', linesOf('{"id": ["a"]}'), 2, '/0/id', /a list of 1/],
];
for (const [why, rows, line, pointer, found] of bad) {
  testFindings(
    test,
    `${why} is a finding in the file`,
    { '1.0/d.json': rows },
    [`ids 1.0/d.json:${line} ${pointer}`],
    found,
  );
  testFindings(
    test,
    `${why} is a finding at the row when mapped`,
    mappedAsIs('d', rows),
    [`ids 1.0/raw/rows.json:${line} ${pointer.slice(0, 2)}`],
    new RegExp(`${found.source}.* at "/id" of the compiled record`),
  );
}

const TWINS = linesOf('{"id": "a", "name": "A"}', '{"id": "a", "name": "B"}');
testFindings(test, 'no two characters have the same id', { '1.0/characters.json': TWINS }, [
  'ids 1.0/characters.json:3 /1/id',
]);
testFindings(test, 'no two mapped characters have the same id', mappedAsIs('characters', TWINS), [
  'ids 1.0/raw/rows.json:3 /1',
]);

test('the finding about a missing id differs from that about a wrong one', async () => {
  const expectedOf = async (...rows: string[]) =>
    (await compileFiles(gameFiles({ '1.0/d.json': linesOf(...rows) }))).findings[0]?.expected;
  assert.is(await expectedOf('{"id": "a"}', '{"x": 1}'), 'an id, since other records of d have one');
  assert.is(await expectedOf('{"id": "a,b"}'), 'an id: a text without commas, not empty');
});

test('the finding about a duplicate id says where the first is', async () => {
  const { findings } = await compileFiles(gameFiles({ '1.0/characters.json': TWINS }));
  assert.is(findings[0]?.expected, 'an id that no other record has; 1.0/characters.json /0 has this one');
});

test.run();
