import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeContent } from '../../../gateway/http/content-coding.ts';
import { lendMemory } from '../../../gateway/http/workbench.ts';

const coding = suite('content coding');

const DECODERS = { br: promisify(brotliDecompress), gzip: promisify(gunzip) };
for (const [name, decode] of Object.entries(DECODERS)) {
  coding(
    `by ${name} is of what was there when it was asked for, whatever is put there meanwhile`,
    async () => {
      const lent = lendMemory(5000).fill('a');
      const encoding = encodeContent(lent, name as keyof typeof DECODERS);
      lent.fill('b');
      const { bytes } = await encoding;
      assert.is((await decode(bytes)).toString(), 'a'.repeat(5000));
    },
  );
}

coding.run();
