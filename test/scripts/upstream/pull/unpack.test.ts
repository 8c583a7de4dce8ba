import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unpack } from '../../../../scripts/upstream/pull/file-upstream.ts';
import { withFolder } from '../../../support/fixtures.ts';

const test = suite('unpacking packages');

const FILES = { 'raw/a.json': 'a', 'raw/deep/b.json': 'b', 'notes.md': 'c' };
const tar = tarOf(FILES);

/** @param change what a header says instead */
function tarOf(files: Record<string, string>, change: object = {}): Buffer {
  const blocks = Object.entries(files).flatMap(([file, text]) => {
    const header = new Header({ path: file, size: text.length, type: 'File', mode: 0o644, ...change });
    const block = Buffer.alloc(512);
    header.encode(block);
    return [block, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** Why an archive is not unpacked. */
async function refused(archive: Buffer, limits: object = {}): Promise<string> {
  return await withFolder({}, async (folder) => {
    const file = path.join(folder, 'archive');
    await writeFile(file, archive);
    const options = { wanted: () => true, maxBytes: 512 * 1024 * 1024, ...limits };
    const work = unpack(file, path.join(folder, 'files'), options);
    return await work.then(
      () => 'it was unpacked',
      ({ message }: Error) => message,
    );
  });
}

test('refuses gzip inside gzip, also if its name looks like tar', async () => {
  const inner = gzipSync(tar);
  inner[3] = 8;
  const name = Buffer.from(`${'a'.repeat(247)}ustar${'a'.repeat(20)}\0`);
  const outer = gzipSync(Buffer.concat([inner.subarray(0, 10), name, inner.subarray(10)]));
  assert.match(await refused(outer), 'cannot be unpacked');
});

test('refuses an archive whose wanted files are too large, or that unpacks to too many times its size', async () => {
  const large = { 'a.json': 'x'.repeat(100_000) };
  const bomb = gzipSync(tarOf(large));
  assert.match(await refused(bomb, { maxBytes: 50_000 }), /has more than 50000 bytes when it is unpacked/);
  const header = tarOf({ 'a.json': ' '.repeat(70_000_000) }, { type: 'ExtendedHeader' });
  assert.match(await refused(gzipSync(header)), /max decompression ratio exceeded/);
  const zeros = { 'a.json': '\0'.repeat(70_000_000) };
  assert.match(await refused(gzipSync(tarOf(zeros))), /max decompression ratio exceeded/);
});

test('refuses an archive with too many files, also if they are not wanted', async () => {
  const many = tarOf(Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`${at}`, ''])));
  assert.match(await refused(gzipSync(many), { wanted: () => false }), /has more than 100000 files/);
});

test('refuses an archive that is damaged, cut short, compressed twice or none', async () => {
  const wrong = [
    Buffer.from('{}'),
    Buffer.alloc(0),
    gzipSync(tar).subarray(0, 60),
    gzipSync(gzipSync(tar)),
    gzipSync(tarOf({ 'a.json': 'a' }, { size: 5000 })),
    gzipSync(Buffer.from(tar).fill('7', 100, 107)),
  ];
  for (const [index, archive] of wrong.entries())
    assert.match(await refused(archive), /cannot be unpacked: .*; expected tar\.gz/, `archive ${index}`);
});

test.run();
