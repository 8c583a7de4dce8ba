import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles } from '../../support/fixtures.ts';
import { linesOf, mappedAsIs, says, table, testFindings, testRows } from './cases.ts';

const test = suite('names and kinds of attributes');

const ofDataset = (records: string) => ({ '1.0/d.json': linesOf(...records.split(' , ')) });
const ofRoster = (attributes: string) => ({
  '1.0/characters.json': linesOf('{"id": "a", "name": "A"}', `{"id": "b", "name": "B", ${attributes}}`),
});

for (const name of ['a b', 'élan', 'x'.repeat(64), '__proto__', 'constructor', 'a-', 'a/b', '1'])
  testFindings(
    test,
    `an attribute may be named "${name}"`,
    ofDataset(`{"${name}": 1, "o": {"${name}": 2}}`),
    [],
  );

testRows(
  test,
  table`
    "o": {"sort": 1}                                        |
    "l": [{"a.b": 1, "q": 2}]                               |
    "a.b": 1                                                | attribute-names 1.0/characters.json:3 /1/a.b       | the attribute "a.b"
    "a,b": 1                                                | attribute-names 1.0/characters.json:3 /1/a,b       | the attribute "a,b"
    "": 1                                                   | attribute-names 1.0/characters.json:3 /1/          | the attribute ""
    "-a": 1                                                 | attribute-names 1.0/characters.json:3 /1/-a        | the attribute "-a"
    "o": {"p": {"a.b": 1}}                                  | attribute-names 1.0/characters.json:3 /1/o/p/a.b   | the attribute "a.b"
    "o": {"-a/~": {}}                                       | attribute-names 1.0/characters.json:3 /1/o/-a~1~0  | the attribute "-a/~"
    "q": 1                                                  | attribute-names 1.0/characters.json:3 /1/q         | the attribute "q"
    "sort": 1                                               | attribute-names 1.0/characters.json:3 /1/sort      | the attribute "sort"
  `,
  ofRoster,
);

testRows(
  test,
  table`
    {"o": {"a": 1}} , {"o.a": 1} , {"o.a": "x"}            | attribute-names 1.0/d.json:3 /1/o.a; attribute-kinds 1.0/d.json:4 /2/o.a
    {"a.b": 1} , {"a.b": 2}                                | attribute-names 1.0/d.json:2 /0/a.b
    {"a": 1} , {"b": 1} , {"a": 2}                         |
    {"a": null} , {"a": 1} , {"a": null} , {"a": 2}        |
    {"a": [null, 1]} , {"a": [null]} , {"a": [2]}          |
    {"a": []} , {"a": ["x"]}                               |
    {"a": [[1], ["x"]]}                                    |
    {"a": 1} , {"a": "1"}                                  | attribute-kinds 1.0/d.json:3 /1/a           | a text…a number, as in the record at 1.0/d.json /0
    {"a": [{"x": 1}]} , {"a": [{"x": 2}, {"x": "y"}]}      | attribute-kinds 1.0/d.json:3 /1/a/1/x       | a text
    {"a": 1} , {"a": {"b": 1}}                             | attribute-kinds 1.0/d.json:3 /1/a           | an object
    {"a": 1} , {"a": [1]}                                  | attribute-kinds 1.0/d.json:3 /1/a           | a list of numbers
    {"a": ["x"]} , {"a": [1]}                              | attribute-kinds 1.0/d.json:3 /1/a           | a list of numbers
    {"a": {"b": {"c": 1}}} , {"a": {"b": {"c": "1"}}}      | attribute-kinds 1.0/d.json:3 /1/a/b/c       | a text
    {"__proto__": {"c": 1}} , {"__proto__": {"c": "1"}}    | attribute-kinds 1.0/d.json:3 /1/__proto__/c | a text
    {"a": ["x"]} , {"a": ["x", 1]}                         | attribute-kinds 1.0/d.json:3 /1/a           | a list of numbers and texts
    {"b": 1} , {"a": [1, null, "x"]}                       | attribute-kinds 1.0/d.json:3 /1/a           | a list of numbers and texts
    {"a": []} , {"a": "x"}                                 | attribute-kinds 1.0/d.json:3 /1/a           | a text
    {"a": {"b": 1}} , {"a": []}                            | attribute-kinds 1.0/d.json:3 /1/a           | an empty list
    {"o": {"a": []}} , {"o": {"a": {"b": 1}}}              | attribute-kinds 1.0/d.json:3 /1/o/a         | an object
    {"id": "x", "t": ["t"]} , {"id": "y", "t": "t"}        | attribute-kinds 1.0/d.json:3 /1/t           | as in record "x" of d; make it a list in every record
  `,
  ofDataset,
);

test('of mapped records are reported at their rows, and say how to write a list', async () => {
  for (const [row, check, said] of [
    ['{"tags": "t"}', 'attribute-kinds', 'at "/tags" of the compiled record…in JSONata write'],
    ['{"tags": ["t"], "a.b": 1}', 'attribute-names', 'the attribute "a.b"'],
  ] as const) {
    const { findings } = await compileFiles(gameFiles(mappedAsIs('d', linesOf('{"tags": ["t"]}', row))));
    assert.equal([findings[0]?.check, findings[0]?.place.line, findings.length], [check, 3, 1]);
    assert.ok(findings[0] && says(findings[0], said), JSON.stringify(findings));
  }
});

testRows(
  test,
  table`
    d.json=[{"a": 0}, {"a": 15209876543212345678}]     | attribute-kinds 1.0/d.json:1 /1/a  | 15209876543212345678 is larger than a number holds exactly
    d.jsonl={"a": 15209876543212345678}¶{"a": 0}¶      | attribute-kinds 1.0/d.jsonl:2 /1/a | 15209876543212345678 is larger than a number holds exactly
    d.yaml=- a: 0¶- a: 15209876543212345678¶           | attribute-kinds 1.0/d.yaml:2 /1/a  | 15209876543212345678 is larger than a number holds exactly
    d.csv=b,a:number¶x,0¶y,15209876543212345678¶       | attribute-kinds 1.0/d.csv:3 /1/a   | 15209876543212345678 is larger than a number holds exactly
    e.json=[{"a": [0, 15209876543212345678]}]          | attribute-kinds 1.0/e.json:1 /0/a  | 15209876543212345678 is larger than a number holds exactly
  `,
  (file) => ({ [`1.0/${file.split('=')[0]}`]: file.slice(file.indexOf('=') + 1) }),
);

test('an element of a list that is an object without attributes is left out', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({ '1.0/d.json': [{ a: [{}, { b: 1 }], c: [{}] }] }),
  );
  assert.equal([builds[0]?.datasets.d, findings], [[{ a: [{ b: 1 }], c: [] }], []]);
});

const many = (count: number) =>
  `{"a0": 1} , ${JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1])))}`;
testFindings(test, '1000 attributes are accepted', ofDataset(many(1000)), []);
testFindings(
  test,
  '1001 attributes are too many',
  ofDataset(many(1001)),
  ['attribute-names 1.0/d.json:3 /1'],
  /more than 1000/,
);

test.run();
