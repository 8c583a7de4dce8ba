// What of an exchange is recorded, as text: a reviewer reads its git diff. Everything that differs between two runs of the same code is left out here.
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, inflateRawSync } from 'node:zlib';
import type { PlainResponse } from '../support/plain-request.ts';
import type { Case } from './requests.ts';
import type { World } from './world.ts';

/** Header fields that are recorded as they are. */
const RECORDED = [
  ...['content-type', 'content-encoding', 'content-language', 'content-location', 'content-disposition'],
  ...['content-range', 'accept-ranges', 'cache-control', 'vary', 'link', 'location', 'allow', 'game-build'],
  ...['www-authenticate', 'ratelimit-policy', 'x-total-count', 'deprecation', 'sunset'],
  ...['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-headers'],
];
/** Header fields of which only the presence is recorded. */
const PRESENT = ['etag', 'repr-digest', 'last-modified', 'retry-after'];
/** Header fields that never are, not even where a case asks for all of them. */
const VOLATILE = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
/** Members of JSON that are random: keys, links with signatures, ids of requests. */
const VOLATILE_MEMBERS = new Set(['prefix', 'url', 'request_id']);

const MAX_BODY = 4096;
const FIRST_LINES = 1200;
const WIDTH = 140;

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** The whole text of a response: what `render` shortens. */
export function renderBody({ headers, body }: PlainResponse, { keep }: Case): string {
  const decoded = decode(body, headers['content-encoding']);
  const type = headers['content-type'] ?? '';
  if (decoded.length === 0 || keep === 'status') return '';
  if (decoded.subarray(0, 2).toString() === 'PK') return renderZip(decoded);
  if (!/json|text|xml|typescript/.test(type)) return `${decoded.length} bytes, sha256 ${sha256(decoded)}`;
  const text = decoded.toString();
  if (type.startsWith('text/html')) return renderPage(text);
  const sent = type.startsWith('text/event-stream') ? text.replace(/^(event|data): ?/gm, '') : text;
  if (!/^\s*[[{]/.test(sent) || type.includes('ndjson')) return text;
  let value: unknown;
  try {
    value = JSON.parse(sent);
  } catch {
    return text;
  }
  if (keep === 'openapi') return `sha256 ${sha256(layOut(value))}\n${renderOpenApi(value as OpenApi)}`;
  if (keep === 'names') value = namesIn(value);
  return layOut(keep === 'shape' ? shapeOf(value) : value);
}

/** An exchange, as the record has it. */
export function render(answered: PlainResponse, asked: Case, world: World): string {
  const { status, headers } = answered;
  const names = asked.keep === 'headers' ? Object.keys(headers) : [...RECORDED, ...(asked.headersToo ?? [])];
  const fields = [...names, ...PRESENT].filter((name) => name in headers && !VOLATILE.includes(name));
  const lines = [...new Set(fields)].sort().map((name) => {
    const isPresence = PRESENT.includes(name) && !asked.headersToo?.includes(name);
    return `${name}: ${isPresence ? 'present' : headers[name]}`;
  });
  const body = renderBody(answered, asked);
  const shown =
    body.length <= MAX_BODY
      ? body
      : `${body.slice(0, body.lastIndexOf('\n', FIRST_LINES) + 1 || FIRST_LINES)}\n… ${body.length} characters, sha256 ${sha256(body)}`;
  return mask([`${status}`, ...lines, ...(shown === '' ? [] : ['', shown.trimEnd()])].join('\n'), world);
}

/** Replaces what is random wherever it is. */
function mask(text: string, { address, keys, token }: World): string {
  const known = Object.entries({ ...keys, token }).reduce(
    (all, [name, key]) =>
      all.replaceAll(key, `<key ${name}>`).replaceAll(key.slice(0, 12), `<prefix ${name}>`),
    text,
  );
  return known
    .replaceAll(address, 'http://gateway')
    .replaceAll(new URL(address).host, 'gateway')
    .replace(/signature=[\w-]+/g, 'signature=…')
    .replace(/\r/g, '\\r')
    .replace(/^### /gm, '\\### ');
}

function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
}

/** The files in a zip with the hashes of their content, from its central directory. */
function renderZip(zip: Buffer): string {
  const end = zip.lastIndexOf('PK\x05\x06');
  const lines: string[] = [];
  for (let at = zip.readUInt32LE(end + 16); at < end; ) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(start, start + size);
    const content = method === 8 ? inflateRawSync(stored) : stored;
    lines.push(
      `${zip.toString('utf8', at + 46, at + 46 + name)} ${content.length} bytes, sha256 ${sha256(content)}`,
    );
    at += 46 + name + extra + comment;
  }
  return lines.sort().join('\n');
}

/** Of a page only what does not change with its looks. */
function renderPage(html: string): string {
  return /<title>[^<]*<\/title>/.exec(html)?.[0] ?? 'a page without a title';
}

interface OpenApi {
  paths?: Record<string, Record<string, { operationId?: string; parameters?: object[]; responses?: object }>>;
  components?: { schemas?: object };
}

function renderOpenApi({ paths = {}, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.responses)
      .map(([method, { operationId, parameters = [], responses = {} }]) => {
        const names = parameters.map((each) => ('name' in each ? each.name : Object.values(each).join()));
        return `${method} ${path} ${operationId}(${names.sort().join(' ')}) ${Object.keys(responses).join(' ')}`;
      }),
  );
  return [
    ...operations.sort(),
    `schemas ${Object.keys(components?.schemas ?? {})
      .sort()
      .join(' ')}`,
  ].join('\n');
}

/** The `name` of all objects in a value. */
function namesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = !Array.isArray(value) && 'name' in value ? [value.name] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, each]) => (key === 'inputSchema' ? [] : namesIn(each))),
  ];
}

/** The types of a value instead of its content. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return `${value.length} elements`;
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

/** JSON with sorted members, in lines that are neither long nor many. */
function layOut(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, (key, each) => {
    if (VOLATILE_MEMBERS.has(key) && typeof each === 'string') return '…';
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  if (flat.length + indent.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const deeper = `${indent} `;
  if (Array.isArray(value))
    return `[\n${value.map((each) => deeper + layOut(each, deeper)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = members.map(([key, each]) => {
    const shown = VOLATILE_MEMBERS.has(key) && typeof each === 'string' ? '"…"' : layOut(each, deeper);
    return `${deeper}${JSON.stringify(key)}: ${shown}`;
  });
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
