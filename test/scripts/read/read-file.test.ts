import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findLines, parseFile, readText } from '../../../scripts/read/files.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';
import { table } from '../../support/table.ts';

const test = suite('files');
const TAB = '\t';

/** The value of a file, or its finding as short text. */
async function parse(name: string, content: string | Buffer): Promise<unknown> {
  return await withFolder({ [name]: content }, async (folder) => {
    const outcome = await parseFile(path.join(folder, name), {});
    const [finding] = 'value' in outcome ? outcome.findings : [outcome.finding];
    if (finding === undefined) return 'value' in outcome && outcome.value;
    const { check, place, found } = finding;
    return `${check}:${place.line} ${found}`;
  });
}

/** The formats: a file, its value, the lines of some of its values, and a text with a fault and its finding. */
const FORMATS = table`
  t.json       | {"a":¶[1]}         | {"a":[1]}                 | /a 1, /a/0 2  | [1,¶2,¶]   | file-syntax:3 value expected at "]"
  t.JSON       | [1]                | [1]                       | /0 1          | {"a": }    | file-syntax:1 value expected at "}"
  t.jsonl      | 1¶2¶               | [1,2]                     | /1 2          | 1¶¶[¶      | file-syntax:3 close bracket expected
  t.ndjson     | 1¶                 | [1]                       | /0 1          | {          | file-syntax:1 close brace expected
  t.csv        | a,b¶1,x¶           | [{"a":1,"b":"x"}]         | /0 2          | a,b¶"x¶    | file-syntax:2 Quote Not Closed
  t.tsv        | a${TAB}b,c¶1${TAB}"x${TAB}2"¶ | [{"a":1,"b,c":"x\t2"}] | /0/a 2 | a${TAB}b¶"x¶ | file-syntax:2 Quote Not Closed
  t.yaml       | a: 1¶b: [1]        | {"a":1,"b":[1]}           | /b 2, /b/0 2  | a: {b¶     | file-syntax:
  t.yml        | - 1                | [1]                       | /0 1          | [          | file-syntax:
  t.txt        | a = 1¶# x¶b = 2    | {"a":"1","b":"2"}         | /b 3          | a = 1¶b    | file-syntax:2 the line "b"
  t.properties | a=1                | {"a":"1"}                 | /a 1          | =1         | file-syntax:1 the line "=1"
  t.kv         | a=1                | {"a":"1"}                 | /a 1          | a          | file-syntax:1 the line "a"
`.map(([name = '', text = '', value = '', lines = '', wrong = '', found = '']) => ({
  name,
  text,
  value: JSON.parse(value),
  wrong,
  found,
  lines: lines.split(', ').map((each) => each.split(' ') as [pointer: string, line: string]),
}));
for (const { name, text, value, lines, wrong, found } of FORMATS) {
  test(`${name} is read by its extension, with a byte order mark and with .gz too`, async () => {
    assert.equal(await parse(name, text), value);
    assert.equal(await parse(name, `\ufeff${text}`), value);
    assert.equal(await parse(`${name}.gz`, gzipSync(text)), value);
    assert.equal(await parse(`${name}.GZ`, gzipSync(`\ufeff${text}`)), value);
  });

  test(`the lines of values and faults in ${name} are found`, async () => {
    assert.ok(String(await parse(name, wrong)).startsWith(found), String(await parse(name, wrong)));
    await withFolder({ [name]: text }, async (folder) => {
      const lineOf = await findLines(path.join(folder, name));
      assert.equal(
        lines.map(([pointer]) => [pointer, `${lineOf(pointer)}`]),
        lines,
      );
    });
  });

  test(`an empty ${name} is a finding`, async () => {
    const found = [await parse(name, ''), await parse(`${name}.gz`, gzipSync(''))];
    for (const text of found) assert.match(String(text), /:1 an empty file$/);
  });

  test(`a ${name} in Latin-1 is a finding with its line`, async () => {
    const bytes = Buffer.concat([Buffer.from('é\n\n'), Buffer.from(`é ${text}`, 'latin1')]);
    assert.is(await parse(name, bytes), 'file-text:3 bytes that are not UTF-8');
  });
}

const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:48da3106\nsize 12\n';
const others: [text: string, found: string][] = [
  [LFS, 'a Git LFS pointer instead of the file'],
  ['<!DOCTYPE html>\n<title>Sign in</title>', 'an HTML page instead of the file'],
  ['\n<html lang="en">', 'an HTML page instead of the file'],
  ['404: Not Found', 'the error "404: Not Found" instead of the file'],
];
for (const [text, found] of others)
  test(`${found} is a finding in every format`, async () => {
    for (const { name } of FORMATS) assert.is(await parse(name, text), `file-text:1 ${found}`);
  });

for (const name of ['t', 't.xml', 't.gz', 't.json.gz.gz', 'json', '.json', 't.constructor']) {
  test(`${name} has no known extension`, async () => {
    assert.is(await parse(name, '[1]'), 'file-text:1 a file name without a known extension');
  });
}

test('gzip that is truncated or damaged, and text named .gz, are findings', async () => {
  const whole = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index)));
  const damaged = Buffer.from(whole);
  damaged.writeUInt32LE(0, whole.length - 8);
  for (const bytes of [whole.subarray(0, -20), damaged, Buffer.from('[1]'), Buffer.alloc(0)]) {
    assert.match(String(await parse('t.json.gz', bytes)), /^file-text:1 gzip that fails with ".+"$/);
  }
});

test('a gzip bomb is a finding', async () => {
  const bomb = gzipSync(Buffer.alloc(257 * 1024 * 1024), { level: 1 });
  assert.is(await parse('t.json.gz', bomb), 'file-text:1 more than 256 MiB of text');
});

test('the size limit is exact, for plain and compressed files', async () => {
  const text = JSON.stringify('x'.repeat(1000));
  const files: Files = { 'a.json': text, 'b.json.gz': gzipSync(text) };
  await withFolder(files, async (folder) => {
    for (const name of Object.keys(files)) {
      assert.equal(await readText(path.join(folder, name), text.length), { value: text });
      assert.ok('finding' in (await readText(path.join(folder, name), text.length - 1)));
    }
  });
});

test('a folder and an absent file are findings', async () => {
  await withFolder({ 't.json/x': '' }, async (folder) => {
    for (const name of ['t.json', 'absent.json']) {
      const outcome = await parseFile(path.join(folder, name), {});
      assert.is('finding' in outcome && outcome.finding.found, 'a file that cannot be read');
    }
  });
});

test('lines are found in compressed files, and with the options of a table', async () => {
  const files: Files = {
    't.yaml.gz': gzipSync('a: 1\nb: 2\n'),
    't.tsv': 'id\ta\nx\t"1\n2"\ny\t1\n',
    't.txt': '[1,\n2]',
    't.xml': '\n',
  };
  await withFolder(files, async (folder) => {
    const lineOf = async (name: string, pointer: string, format?: 'json') =>
      (await findLines(path.join(folder, name), format && { format }))(pointer);
    assert.is(await lineOf('t.yaml.gz', '/b'), 2);
    assert.is(await lineOf('t.tsv', '/1/a'), 4);
    assert.is(await lineOf('t.txt', '/1', 'json'), 2);
    assert.is(await lineOf('t.xml', '/1'), 1);
    assert.is(await lineOf('absent.json', '/1'), 1);
  });
});

test.run();
