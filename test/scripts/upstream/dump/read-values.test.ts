import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guessDelimiter } from '../../../../scripts/upstream/dump/guess-delimiter.ts';
import { listDump } from '../../../../scripts/upstream/dump/list-files.ts';
import { type DumpValues, readValues } from '../../../../scripts/upstream/dump/read-values.ts';
import { type Files, withFolder } from '../../../support/fixtures.ts';

const test = suite('reading a dump');

/** So small that files of a few hundred bytes are large. */
const LIMITS = { file: 200, sample: 150, total: 600, shortSample: 60 };
const read = (files: Files): Promise<DumpValues> =>
  withFolder(files, async (folder) => await readValues(await listDump(folder), LIMITS));

const ROWS = Array.from({ length: 20 }, (_, index) => ({
  id: 9007199254740993n + BigInt(index),
  n: `N${index}`,
}));
const json = (row: (typeof ROWS)[number]) => `{"id": ${row.id}, "n": "${row.n}"}`;

/** A large file, and how many of its records are in the sample. */
const LARGE: Record<string, [text: string, records: number]> = {
  'list.json': [`[${ROWS.map(json).join(',')}]`, 4],
  'wrapped.json': [`{"rows": [${ROWS.map(json).join(', ')}]}`, 3],
  'lines.jsonl': [ROWS.map(json).join('\n'), 4],
  'rows.csv': [`id,n\n${ROWS.map(({ n }) => `id-of-${n},${n}`).join('\n')}\n`, 11],
  'rows.yaml': [ROWS.map(({ n }) => `- id: id-of-${n}\n  n: ${n}\n`).join(''), 6],
};
for (const [name, [text, records]] of Object.entries(LARGE)) {
  test(`of a large file only whole records of its beginning are read: ${name}`, async () => {
    const { values, sampled, unread } = await read({ [name]: Buffer.from(text) });
    assert.equal([unread, sampled], [[], [{ file: name, bytes: 150, of: text.length }]]);
    const value = values.get(name) as { rows?: unknown[] } | unknown[];
    const rows = Array.isArray(value) ? value : (value.rows ?? []);
    assert.is(rows.length, records);
    assert.is((rows[0] as { n: string }).n, 'N0');
  });
}

test('integers beyond 2^53 in a sample stay exact', async () => {
  const { values } = await read({ 'list.json': Buffer.from(LARGE['list.json']?.[0] ?? '') });
  assert.is((values.get('list.json') as { id: string }[])[1]?.id, '9007199254740994');
});

test('a compressed file counts by its own size, and its sample by what is in it', async () => {
  const noise = Array.from(
    { length: 200 },
    (_, index) => `{"id": "${(index * 7919) % 1009}-${index * index}"}`,
  );
  const file = gzipSync(noise.join('\n'));
  assert.ok(file.length > LIMITS.file);
  const { values, sampled } = await read({ 'lines.jsonl.gz': file });
  assert.is(sampled.length, 1);
  assert.ok((values.get('lines.jsonl.gz') as unknown[]).length > 3);
});

test('after much was read, samples are shorter, and no file is left out', async () => {
  const text = Buffer.from(LARGE['list.json']?.[0] ?? '');
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`list-${index}.json`, text]));
  const { values, sampled, unread } = await read(files);
  assert.equal([values.size, unread], [6, []]);
  assert.equal([...new Set(sampled.map(({ bytes }) => bytes))], [150, 60]);
});

const DELIMITED: [text: string, delimiter: string | undefined][] = [
  ['a=1\nb=2=3\n# note\n\nc=4', '='],
  ['a\tone two\nb\tthree', '\t'],
  ['ui.title: Game: the story\nui.back: Back', ':'],
  ['a::b:c\nd::e', '::'],
  ['a|1\nb|2', '|'],
  ['a => <b=1>\nc => 2', '=>'],
  ['a ¦ 1: x\nb ¦ 2: y', '¦'],
  ['some prose\nwithout any', undefined],
];
for (const [text, delimiter] of DELIMITED) {
  test(`the delimiter of ${JSON.stringify(text)} is ${JSON.stringify(delimiter)}`, () => {
    assert.is(guessDelimiter(text), delimiter);
  });
}

test('key-value text with another delimiter is read, and the delimiter is declared', async () => {
  const { values, delimiters } = await read({ 'texts.txt': Buffer.from('hello: Hallo\nbye: Tschüss\n') });
  assert.equal(values.get('texts.txt'), { hello: 'Hallo', bye: 'Tschüss' });
  assert.is(delimiters.get('texts.txt'), ':');
});

test.run();
