import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { linesOf, mappedAsIs, testFindings } from './cases.ts';

const test = suite('checks attribute-names and attribute-kinds');

for (const name of ['a b', 'élan', 'x'.repeat(64), '__proto__', 'constructor', 'a-', 'a/b', '1']) {
  const rows = linesOf(`{"${name}": 1, "o": {"${name}": 2}}`);
  testFindings(test, `an attribute may be named "${name}"`, { '1.0/d.json': rows }, []);
}
testFindings(
  test,
  'an attribute of an object may have the name of a query parameter',
  { '1.0/d.json': linesOf('{"o": {"sort": 1}}') },
  [],
);
testFindings(
  test,
  'attributes inside lists of objects may have any name',
  { '1.0/d.json': linesOf('{"l": [{"a.b": 1, "q": 2}]}') },
  [],
);

const badNames: [attributes: string, pointer: string, found: RegExp][] = [
  ['"a.b": 1', '/a.b', /the attribute "a\.b"/],
  ['"a[0]": 1', '/a[0]', /the attribute "a\[0\]"/],
  ['"a,b": 1', '/a,b', /the attribute "a,b"/],
  ['"": 1', '/', /the attribute ""/],
  ['"-a": 1', '/-a', /the attribute "-a"/],
  ['"a\\u0007": 1', '/a\u0007', /the attribute/],
  [`"${'x'.repeat(65)}": 1`, `/${'x'.repeat(65)}`, /the attribute "x+"/],
  ['"o": {"p": {"a.b": 1}}', '/o/p/a.b', /the attribute "a\.b"/],
  ['"o": {"-a/~": {}}', '/o/-a~1~0', /the attribute "-a\/~"/],
  ['"q": 1', '/q', /the attribute "q"/],
  ['"sort": 1', '/sort', /the attribute "sort"/],
  ['"limit": 1', '/limit', /the attribute "limit"/],
  ['"offset": 1', '/offset', /the attribute "offset"/],
  ['"ids": 1', '/ids', /the attribute "ids"/],
  ['"fields": 1', '/fields', /the attribute "fields"/],
  ['"csv": 1', '/csv', /the attribute "csv"/],
];
for (const [attributes, pointer, found] of badNames) {
  const rows = linesOf('{"id": "a", "name": "A"}', `{"id": "b", "name": "B", ${attributes}}`);
  const name = `{${attributes.slice(0, 30)}}`;
  testFindings(
    test,
    `${name} in a dataset is a finding`,
    { '1.0/d.json': rows },
    [`attribute-names 1.0/d.json:3 /1${pointer}`],
    found,
  );
  testFindings(
    test,
    `${name} in the roster is a finding`,
    { '1.0/characters.json': rows },
    [`attribute-names 1.0/characters.json:3 /1${pointer}`],
    found,
  );
  testFindings(
    test,
    `${name} in a mapped record is a finding at its row`,
    mappedAsIs('d', rows),
    ['attribute-names 1.0/raw/rows.json:3 /1'],
    found,
  );
}

testFindings(
  test,
  'a name with a dot is distinguished from the attribute of an object with the same dotted key',
  { '1.0/d.json': linesOf('{"o": {"a": 1}}', '{"o.a": 1}', '{"o.a": "x"}') },
  ['attribute-names 1.0/d.json:3 /1/o.a', 'attribute-kinds 1.0/d.json:4 /2/o.a'],
);
testFindings(
  test,
  'a control character in a name is shown escaped',
  { '1.0/d.json': linesOf('{"a\\u001b[2J": 1}') },
  ['attribute-names 1.0/d.json:2 /0/a\u001b[2J'],
  /^the attribute "a\\u001b\[2J"$/,
);
testFindings(
  test,
  'a name that many records have is one finding',
  { '1.0/d.json': linesOf('{"a.b": 1}', '{"a.b": 2}') },
  ['attribute-names 1.0/d.json:2 /0/a.b'],
);

const many = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1])));
testFindings(test, '1000 attributes are accepted', { '1.0/d.json': linesOf(many(1000)) }, []);
testFindings(
  test,
  '1001 attributes are too many',
  { '1.0/d.json': linesOf('{"a0": 1}', many(1001)) },
  ['attribute-names 1.0/d.json:3 /1'],
  /more than 1000/,
);

const goodKinds: [why: string, rows: string][] = [
  ['is absent in some records', linesOf('{"a": 1}', '{"b": 1}', '{"a": 2}')],
  ['is null in some records', linesOf('{"a": null}', '{"a": 1}', '{"a": null}', '{"a": 2}')],
  ['is a list with nulls in it', linesOf('{"a": [null, 1]}', '{"a": [null]}', '{"a": [2]}')],
  ['is an empty list in some records', linesOf('{"a": []}', '{"a": ["x"]}')],
  ['is a list of lists', linesOf('{"a": [[1], ["x"]]}')],
  ['is of another kind inside lists of objects', linesOf('{"a": [{"x": 1}]}', '{"a": [{"x": "y"}]}')],
];
for (const [why, rows] of goodKinds)
  testFindings(test, `an attribute that ${why} passes`, { '1.0/d.json': rows }, []);

const badKinds: [first: string, second: string, pointer: string, found: RegExp][] = [
  ['{"a": 1}', '{"a": "1"}', '/a', /a text/],
  ['{"a": 1}', '{"a": true}', '/a', /a boolean/],
  ['{"a": 1}', '{"a": {"b": 1}}', '/a', /an object/],
  ['{"a": 1}', '{"a": [1]}', '/a', /a list of numbers/],
  ['{"a": ["x"]}', '{"a": [1]}', '/a', /a list of numbers/],
  ['{"a": ["x"]}', '{"a": [{"b": 1}]}', '/a', /a list of objects/],
  ['{"a": {"b": {"c": 1}}}', '{"a": {"b": {"c": "1"}}}', '/a/b/c', /a text/],
  ['{"__proto__": {"c": 1}}', '{"__proto__": {"c": "1"}}', '/__proto__/c', /a text/],
  ['{"a": ["x"]}', '{"a": ["x", 1]}', '/a', /a list of numbers and texts/],
  ['{"b": 1}', '{"a": [1, null, "x"]}', '/a', /a list of numbers and texts/],
  ['{"a": []}', '{"a": "x"}', '/a', /a text/],
  ['{"a": {"b": 1}}', '{"a": []}', '/a', /an empty list/],
  ['{"o": {"a": []}}', '{"o": {"a": {"b": 1}}}', '/o/a', /an object/],
];
for (const [first, second, pointer, found] of badKinds) {
  const rows = linesOf(first, second);
  testFindings(
    test,
    `${first} and ${second} clash`,
    { '1.0/d.json': rows },
    [`attribute-kinds 1.0/d.json:3 /1${pointer}`],
    found,
  );
  testFindings(
    test,
    `${first} and ${second} clash when mapped`,
    mappedAsIs('d', rows),
    ['attribute-kinds 1.0/raw/rows.json:3 /1'],
    new RegExp(`${found.source} at "${pointer}" of the compiled record`),
  );
}

test('a clash names the other record, and how to write a list', async () => {
  const rows = linesOf('{"id": "x", "name": "X", "tags": ["t"]}', '{"id": "y", "name": "Y", "tags": "t"}');
  const { findings } = await compileFiles(gameFiles({ '1.0/characters.json': rows }));
  assert.is(findings[0]?.expected, 'a list of texts, as in record "x" of characters');
  assert.match(findings[0]?.fix ?? '', 'make it a list in every record');
});

test('a clash with a record that has no id names its place', async () => {
  const { findings } = await compileFiles(gameFiles({ '1.0/d.json': linesOf('{"a": 1}', '{"a": "x"}') }));
  assert.is(findings[0]?.expected, 'a number, as in the record at 1.0/d.json /0');
});

test('a clash shows how to write a list in JSONata only if a mapping makes the records', async () => {
  const rows = linesOf('{"tags": ["t"]}', '{"tags": "t"}');
  const plain = await compileFiles(gameFiles({ '1.0/d.json': rows }));
  assert.is(plain.findings[0]?.fix, 'make it a list in every record');
  const mapped = await compileFiles(gameFiles(mappedAsIs('d', rows)));
  assert.match(mapped.findings[0]?.fix ?? '', 'in JSONata write');
});

const LONG = '15209876543212345678';
for (const [file, text] of [
  ['d.json', `[{"a": 0}, {"a": ${LONG}}]`],
  ['d.jsonl', `{"a": ${LONG}}\n{"a": 0}\n`],
  ['d.yaml', `- a: 0\n- a: ${LONG}\n`],
  ['d.csv', `b,a:number\nx,0\ny,${LONG}\n`],
  ['e.json', `[{"a": [0, ${LONG}]}]`],
] as const)
  test(`a clash of numbers with an integer of 64 bits in ${file} names it and says what to do`, async () => {
    const { findings } = await compileFiles(gameFiles({ [`1.0/${file}`]: text }));
    assert.equal(
      findings.map(({ check }) => check),
      ['attribute-kinds'],
    );
    assert.match(findings[0]?.fix ?? '', `${LONG} is larger than a number holds exactly`);
  });

test('an element of a list that is an object without attributes is left out', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({ '1.0/d.json': [{ a: [{}, { b: 1 }], c: [{}] }] }),
  );
  assert.equal([builds[0]?.datasets.d, findings], [[{ a: [{ b: 1 }], c: [] }], []]);
});

testFindings(
  test,
  'lists are checked independently of each other',
  { '1.0/d.json': '[{"a": 1}]', '1.0/e.json': '[{"a": "1"}]' },
  [],
);

test.run();
