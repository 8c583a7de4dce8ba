import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Draft } from '../../../gateway/bytes/draft.ts';
import { encodeContent } from '../../../gateway/wire/content-coding.ts';

const coding = suite('content coding');

const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };
for (const [name, decode] of Object.entries(DECODERS)) {
  coding(
    `by ${name} compresses the bytes at the time of the call, even if they change afterwards`,
    async () => {
      const draft = new Draft();
      draft.writeText('a'.repeat(5000));
      const encoding = encodeContent(draft.bytes(), name as keyof typeof DECODERS);
      new Draft().writeText('b'.repeat(5000));
      const { bytes } = await encoding;
      assert.is((await decode(bytes)).toString(), 'a'.repeat(5000));
    },
  );
}

coding.run();
