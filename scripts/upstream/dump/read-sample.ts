import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type Node, parseTree } from 'jsonc-parser';
import { isGzip } from '../../read/formats/formats.ts';

/**
 * Reads the beginning of a text file, up to the end of a record. A file whose name ends in `.gz` is decompressed.
 *
 * @param maxBytes how much of the text is read
 * @returns undefined if the file cannot be read, or if its beginning has no whole record
 */
export async function readSample(file: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await readBeginning(file, maxBytes).catch(() => undefined);
  if (bytes === undefined) return undefined;
  // The last character may be cut.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const name = file.toLowerCase().replace(/\.gz$/, '');
  if (name.endsWith('.json')) return closeJson(text);
  return cutLines(text, /\.ya?ml$/.test(name) ? /\n(?=[^\s#])/g : /\n/g);
}

async function readBeginning(file: string, maxBytes: number): Promise<Buffer> {
  const source = createReadStream(file);
  const stream = isGzip(file) ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => stream.destroy(error));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  source.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Cuts a JSON text after its last whole record, and closes what is open. */
function closeJson(text: string): string | undefined {
  let node: Node | undefined = parseTree(text);
  let closing = '';
  while (node?.children) {
    const bracket = node.type === 'array' ? ']' : node.type === 'object' ? '}' : '';
    const whole: Node | undefined = node.children.at(-2);
    if (bracket !== '' && whole) return text.slice(0, whole.offset + whole.length) + bracket + closing;
    closing = bracket + closing;
    node = node.children.at(-1);
  }
  return undefined;
}

/** Cuts a text at the last place where a record begins. */
function cutLines(text: string, beginning: RegExp): string | undefined {
  const last = [...text.matchAll(beginning)].at(-1);
  return last && text.slice(0, last.index + 1);
}
