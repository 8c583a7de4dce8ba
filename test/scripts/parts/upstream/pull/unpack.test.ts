import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { createTar } from 'nanotar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unpack } from '../../../../../scripts/parts/upstream/pull/unpack.ts';

const test = suite('unpacking archives');

const bytes = (text: string) => new TextEncoder().encode(text);
const FILES = { 'raw/a.json': 'a', 'raw/deep/b.json': 'b', 'notes.md': 'c' };
const zip = Buffer.from(
  zipSync(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [name, bytes(text)]))),
);
const tar = Buffer.from(
  createTar(Object.entries(FILES).map(([name, text]) => ({ name, data: bytes(text) }))),
);

test('finds the wanted files of a zip, tar and tar.gz archive', () => {
  for (const archive of [zip, tar, gzipSync(tar)]) {
    const found = unpack(archive, (path) => path.startsWith('raw/'));
    assert.equal(found.map(({ path, content }) => [path, Buffer.from(content).toString()]).sort(), [
      ['raw/a.json', 'a'],
      ['raw/deep/b.json', 'b'],
    ]);
  }
});

test('refuses an archive that becomes too large, is damaged or is none', () => {
  const large = bytes('x'.repeat(100_000));
  const bombs = [
    Buffer.from(zipSync({ 'a.json': large })),
    gzipSync(Buffer.from(createTar([{ name: 'a.json', data: large }]))),
  ];
  for (const bomb of bombs) {
    assert.ok(bomb.length < 2000);
    assert.throws(() => unpack(bomb, () => true, 50_000), /has more than 50000 bytes when it is unpacked/);
  }
  for (const wrong of [
    Buffer.from('{}'),
    zip.subarray(0, 40),
    gzipSync(tar).subarray(0, 60),
    Buffer.alloc(0),
  ]) {
    assert.throws(() => unpack(wrong, () => true), /cannot be unpacked: .*; expected zip, tar or tar\.gz/);
  }
});

test('refuses a zip archive with a file that is larger than it says', () => {
  const lying = Buffer.from(zipSync({ 'a.json': [bytes('x'.repeat(100_000)), { level: 0 }] }));
  const CENTRAL_HEADER = 'PK\x01\x02';
  const ORIGINAL_SIZE = 24;
  lying.writeUInt32LE(0, lying.indexOf(CENTRAL_HEADER, 0, 'latin1') + ORIGINAL_SIZE);
  assert.throws(() => unpack(lying, () => true, 50_000), /has more than 50000 bytes when it is unpacked/);
});

test('refuses a tar archive with a file that says it is larger than the archive', () => {
  const lying = Buffer.from(tar.subarray(0, 1024));
  const SIZE = 124;
  lying.write('00000020000', SIZE, 'latin1');
  for (const archive of [lying, gzipSync(lying)])
    assert.throws(() => unpack(archive, () => true), /cannot be unpacked: /);
});

test('leaves links and folders out', () => {
  const linked = Buffer.from(tar);
  // The type of the first file becomes that of a symbolic link; its checksum is not compared.
  linked.write('2', 156, 'latin1');
  assert.equal(
    unpack(linked, () => true).map(({ path }) => path),
    ['raw/deep/b.json', 'notes.md'],
  );
});

test.run();
