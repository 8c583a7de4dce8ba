import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeRecords } from '../../../gateway/api/list-body.ts';
import { Draft, detach, Pieces, readNow, releaseAll, reserve } from '../../../gateway/http/draft.ts';

const test = suite('draft');

const SIZE = 64 * 1024;

function draftOf(length: number, letter: string): Buffer {
  const draft = new Draft();
  draft.write(Buffer.alloc(length, letter));
  return readNow(draft.bytes());
}

for (const length of [1, SIZE - 1, SIZE, SIZE + 1]) {
  test(`${length} detached bytes do not change`, () => {
    const kept = detach(draftOf(length, 'a'));
    draftOf(length, 'b');
    assert.ok(kept.equals(Buffer.alloc(length, 'a')));
  });
}

test('does not change until everything is released', () => {
  const kept = ['a', 'b', 'c'].map((letter) => {
    const bytes = draftOf(5, letter);
    reserve(bytes);
    return bytes;
  });
  draftOf(5, 'd');
  assert.is(kept.join(), 'aaaaa,bbbbb,ccccc');
  releaseAll();
  draftOf(5, 'd');
  assert.is(kept.join(), 'ddddd,bbbbb,ccccc');
});

test('does not change, however much is reserved', () => {
  const kept = Array.from({ length: 100 }, (_, index) => {
    const bytes = draftOf(SIZE - 1 - index, String(index % 10));
    reserve(bytes);
    return bytes;
  });
  const damaged = kept.filter(
    (bytes, index) => !bytes.equals(Buffer.alloc(SIZE - 1 - index, String(index % 10))),
  );
  releaseAll();
  assert.is(damaged.length, 0);
});

test('reserves nothing for bytes in other memory', () => {
  const bytes = draftOf(5, 'a');
  reserve(detach(bytes));
  reserve(draftOf(SIZE, 'a'));
  draftOf(5, 'b');
  assert.is(bytes.toString(), 'bbbbb');
});

test('has the bytes that were written, however they were written and however many they are', () => {
  const draft = new Draft();
  let expected = '';
  const bytes = Buffer.from('-0123456789-0123456789-0123456789-0123456789-é');
  for (let index = 0; expected.length < 3 * SIZE; index++) {
    const to = index % (bytes.length - 2);
    draft.writeText(`日本${index}`);
    draft.writeByte(0x2c);
    draft.write(bytes, index % 3, Math.max(to, index % 3));
    draft.write(bytes);
    expected += `日本${index},${bytes.toString('utf8', index % 3, Math.max(to, index % 3))}${bytes}`;
  }
  assert.is(readNow(draft.bytes()).toString(), expected);
  assert.is(draft.length, Buffer.byteLength(expected));
});

test('has the bytes of the pieces that were written, wherever each begins and however long it is', () => {
  const texts = Array.from({ length: 40 }, (_, length) => '0123456789é日本'.repeat(4).slice(0, length));
  const pieces = Pieces.of(texts);
  const numbers = [...texts.keys(), ...texts.keys()].sort((a, b) => ((a * 7) % 40) - ((b * 7) % 40));
  const draft = new Draft();
  let expected = '';
  while (expected.length < 3 * SIZE) {
    draft.writePieces(pieces, numbers);
    draft.writeByte(0x3b);
    for (const number of numbers) draft.writePiece(pieces, number);
    expected += `${numbers.map((number) => texts[number]).join()};${numbers.map((number) => texts[number]).join('')}`;
  }
  assert.is(readNow(draft.bytes()).toString(), expected);
});

test('removes what was written last', () => {
  const draft = new Draft();
  draft.writeText('kept');
  const { length } = draft;
  draft.writeText(', dropped');
  draft.truncate(length);
  draft.writeText(' too');
  assert.is(readNow(draft.bytes()).toString(), 'kept too');
});

test('detects whether its end repeats earlier bytes', () => {
  const draft = new Draft();
  draft.writeText('one,two,ones,one');
  assert.equal(
    [draft.repeats(0, 3, 13), draft.repeats(4, 7, 13), draft.repeats(8, 12, 13), draft.repeats(0, 2, 13)],
    [true, false, false, false],
  );
});

test('a page of known length is made in memory of this size, and copied no more', () => {
  const records = Array.from({ length: 1000 }, (_, at) =>
    Buffer.from(JSON.stringify({ id: String(at) }).padEnd(100)),
  );
  const draft = new Draft();
  draft.writeText('{"characters":[');
  writeRecords(draft, records, [...records.keys()]);
  draft.write(Buffer.from(']}'));
  const bytes = readNow(draft.bytes());
  assert.is(bytes.buffer.byteLength, bytes.length);
  assert.is(detach(draft.bytes()).buffer, bytes.buffer);
  assert.is(String(bytes), `{"characters":[${records.join()}]}`);
});

test.run();
