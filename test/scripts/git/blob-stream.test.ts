import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobStream, whole } from '../../../scripts/check/git.ts';
import { fc } from '../../support/random.ts';

const test = suite('files that git prints');

function parse(bytes: Buffer, pieces: readonly number[]): [string, string][] {
  const found: [string, string][] = [];
  const stream = new BlobStream(whole((blob, content) => found.push([blob, content.toString('hex')])));
  let start = 0;
  for (const piece of [...pieces, bytes.length]) {
    stream.add(bytes.subarray(start, start + piece));
    start += piece;
  }
  return found;
}

test('are the same in pieces of any size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 20 })),
      fc.array(fc.nat({ max: 9 })),
      (contents, pieces) => {
        const files = contents.map((content, index) => [`${index}a`, Buffer.from(content)] as const);
        const printed = files.flatMap(([blob, content]) => [
          Buffer.from(`${blob} blob ${content.length}\n`),
          content,
          Buffer.from('\n'),
        ]);
        assert.equal(
          parse(Buffer.concat(printed), pieces),
          files.map(([blob, content]) => [blob, content.toString('hex')]),
        );
      },
    ),
  );
});

test('are refused when they are missing or too large', () => {
  assert.throws(() => parse(Buffer.from('ab missing\n'), []), 'git printed "ab missing"');
  assert.throws(() => parse(Buffer.from('ab blob 999999999\n'), []), 'has 999999999 bytes');
});

test.run();
