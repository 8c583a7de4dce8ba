import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompress, constants, gunzip, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeContent, negotiateCoding } from '../../../gateway/http/content-coding.ts';

const coding = suite('content coding');

const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };
for (const [name, decode] of Object.entries(DECODERS)) {
  coding(`by ${name} compresses long bytes in another thread`, async () => {
    const encoding = encodeContent(Buffer.from('a'.repeat(70_000)), name as keyof typeof DECODERS);
    const { bytes } = await encoding;
    assert.is((await decode(bytes)).toString(), 'a'.repeat(70_000));
  });
}

coding('compresses more than a megabyte with the levels that cost least', async () => {
  const large = Buffer.from(
    JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ at, even: at % 2 }))),
  );
  assert.ok(large.length > 1024 * 1024);
  const { bytes: gzipped } = await encodeContent(large, 'gzip');
  assert.ok(gzipped.equals(gzipSync(large, { level: 1 })));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_SIZE_HINT]: large.length,
  };
  const { bytes: brotli } = await encodeContent(large, 'br');
  assert.ok(brotli.equals(brotliCompressSync(large, { params })));
});

coding('does not read an Accept-Encoding that is longer than any client needs', () => {
  assert.is(negotiateCoding(`gzip${', x'.repeat(100)}`), 'gzip');
  assert.is(negotiateCoding(`gzip${', x'.repeat(200)}`), 'identity');
});

for (const [name, decode] of Object.entries(DECODERS)) {
  coding(`by ${name} is done at once for responses up to 64 KiB, and makes them smaller`, async () => {
    const text = JSON.stringify(
      Array.from({ length: 800 }, (_, index) => ({ id: `unit-${index}`, rarity: index % 5 })),
    );
    const coded = encodeContent(Buffer.from(text), name as keyof typeof DECODERS);
    assert.not('then' in coded);
    const { bytes } = await coded;
    assert.ok(bytes.length < text.length / 4, `${bytes.length} of ${text.length} bytes`);
    assert.is((await decode(bytes)).toString(), text);
  });

  coding(`by ${name} leaves the event loop free for longer ones`, async () => {
    const text = 'a'.repeat(70_000);
    const encoding = encodeContent(Buffer.from(text), name as keyof typeof DECODERS);
    assert.ok('then' in encoding);
    assert.is((await decode((await encoding).bytes)).toString(), text);
  });
}

coding.run();
