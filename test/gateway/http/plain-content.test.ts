import { type FileHandle, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PlainContent } from '../../../gateway/http/send-file.ts';
import { withFolder } from '../../support/fixtures.ts';

const test = suite('plain contents of compressed files');

const BYTES = Buffer.from(Array.from({ length: 60_000 }, (_, at) => `line ${at}\n`).join(''));
const CONTENT = { bytes: BYTES.length, sha256: 'any' };
const RANGES = [
  [0, 0],
  [0, BYTES.length - 1],
  [BYTES.length - 1, BYTES.length - 1],
  [300_000, 300_010],
  [262_143, 262_144],
] as const;

async function withFile(use: (file: FileHandle) => Promise<void>): Promise<void> {
  await withFolder({}, async (folder) => {
    const name = path.join(folder, 'content.gz');
    await writeFile(name, gzipSync(BYTES));
    const file = await open(name);
    await use(file).finally(() => file.close());
  });
}

async function read(content: PlainContent, file: FileHandle, [start, end]: readonly [number, number]) {
  const parts: Buffer[] = [];
  for await (const part of content.read(file, CONTENT, { start, end })) parts.push(part);
  return parts;
}

for (const [what, most] of [
  ['kept', BYTES.length],
  ['decompressed for each request', BYTES.length - 1],
] as const) {
  test(`are read in any part if they are ${what}`, () =>
    withFile(async (file) => {
      const content = new PlainContent(most);
      for (const [start, end] of [...RANGES, ...RANGES]) {
        const parts = await read(content, file, [start, end]);
        assert.ok(Buffer.concat(parts).equals(BYTES.subarray(start, end + 1)), `${start} to ${end}`);
        assert.ok(Math.max(...parts.map(({ length }) => length)) <= 256 * 1024);
      }
    }));
}

test('are read from the file once if they are kept, and again after a failure', () =>
  withFile(async (file) => {
    const content = new PlainContent();
    let reads = 0;
    let isBroken = true;
    const counted = {
      read(into: Buffer, offset: number, length: number, position: number) {
        if (position === 0) reads++;
        return file.read(into, offset, isBroken ? 99 - position : length, position);
      },
    } as unknown as FileHandle;
    const failure = await read(content, counted, [0, 9]).catch((error: Error) => error.message);
    assert.is(failure, 'unexpected end of file');
    isBroken = false;
    await Promise.all([read(content, counted, [0, 9]), read(content, counted, [5, 7])]);
    await read(content, counted, [0, BYTES.length - 1]);
    assert.is(reads, 2);
  }));

test.run();
