import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findLines, parseFile, readText } from '../../../scripts/read/files.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';

const test = suite('files');

/** The value of a file, or its finding as short text. */
async function parse(name: string, content: string | Buffer): Promise<unknown> {
  return await withFolder({ [name]: content }, async (folder) => {
    const outcome = await parseFile(path.join(folder, name), {});
    if ('value' in outcome) return outcome.value;
    const { check, place, found } = outcome.finding;
    return `${check}:${place.line} ${found}`;
  });
}

const formats: [name: string, text: string, expected: unknown][] = [
  ['t.json', '{"a": [1]}', { a: [1] }],
  ['t.JSON', '[1]', [1]],
  ['t.jsonl', '1\n2\n', [1, 2]],
  ['t.ndjson', '1\n', [1]],
  ['t.csv', 'a,b\n1,x\n', [{ a: 1, b: 'x' }]],
  ['t.tsv', 'a\tb,c\n1\t"x\t2"\n', [{ a: 1, 'b,c': 'x\t2' }]],
  ['t.yaml', 'a: [1]', { a: [1] }],
  ['t.yml', '- 1', [1]],
  ['t.txt', 'a = 1', { a: '1' }],
  ['t.properties', 'a=1', { a: '1' }],
  ['t.kv', 'a=1', { a: '1' }],
];
for (const [name, text, expected] of formats) {
  test(`${name} is read by its extension, with a byte order mark and with .gz too`, async () => {
    assert.equal(await parse(name, text), expected);
    assert.equal(await parse(name, `\ufeff${text}`), expected);
    assert.equal(await parse(`${name}.gz`, gzipSync(text)), expected);
    assert.equal(await parse(`${name}.GZ`, gzipSync(`\ufeff${text}`)), expected);
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
    for (const [name] of formats) assert.is(await parse(name, text), `file-text:1 ${found}`);
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

test('lines are found in every format, in compressed files, and with the options of a table', async () => {
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
