// Makes what the pages of the gateway need, into build/: the assets that browsers load, the guides of docs/ as HTML, and as text for language models,
// and the feed of changes.
// It runs after the TypeScript compiler. With --quick, for tests, files are compressed less.
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import fastGlob from 'fast-glob';
import { bundleClient } from '../../client/bundle-client.mjs';
import { readScalar } from './read-scalar.mjs';
import { renderChanges } from './render-changes.mjs';
import { renderGuides } from './render-guides.mjs';
import { renderLlms } from './render-llms.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LAYOUT = path.join(ROOT, 'build/gateway/site/layout');
const PUBLIC = path.join(LAYOUT, 'public');
/** The files that a gateway without the site serves instead: they do not link to its pages. */
const WITHOUT_SITE = path.join(LAYOUT, 'without-site');
const ASSETS = path.join(PUBLIC, 'assets');
/** Shorter files are not compressed: it would hardly make them smaller. */
const MIN_BYTES = 1024;
/** The last levels of brotli take ten times as long, for a few percent. */
const LARGE_BYTES = 500_000;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const { pages, index } = await renderGuides(path.join(ROOT, 'docs'));
await cp(path.join(ROOT, 'gateway/site/layout/static'), PUBLIC, { recursive: true });
await mkdir(ASSETS, { recursive: true });
const client = await bundleClient();
const pinned = await writeHashed('client.js', client);
const changelog = await readFile(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
for (const [folder, hasSite] of [
  [PUBLIC, true],
  [WITHOUT_SITE, false],
]) {
  await mkdir(folder, { recursive: true });
  const { short, full } = await renderLlms(path.join(ROOT, 'docs'), pages, hasSite);
  await writeFile(path.join(folder, 'llms.txt'), short);
  await writeFile(path.join(folder, 'llms-full.txt'), full);
  await writeFile(path.join(folder, 'client.js'), `/* This version for good: ${pinned} */\n${client}`);
  await writeFile(path.join(folder, 'changes.atom'), renderChanges(changelog, hasSite));
}
const paths = {
  ...(await bundle()),
  'scalar.js': await writeHashed(
    'scalar.js',
    (await readScalar()).replace(/\n\/\/# sourceMappingURL=.*$/, ''),
  ),
  'favicon.svg': await writeHashed('favicon.svg', await readFile(path.join(PUBLIC, 'favicon.svg'), 'utf8')),
  'guides.json': await writeHashed('guides.json', JSON.stringify(index)),
};
await writeFile(path.join(LAYOUT, 'assets.json'), JSON.stringify(paths));
await writeFile(path.join(ROOT, 'build/gateway/site/guides.json'), JSON.stringify(pages));
for (const cwd of [PUBLIC, WITHOUT_SITE])
  for (const file of await fastGlob('**/*.{js,css,svg,json,txt,atom}', { cwd, absolute: true }))
    await compress(file);

/** Bundles the islands and the stylesheet. Returns the address of each by its name. */
async function bundle() {
  const islands = await fastGlob('gateway/site/islands/*.{ts,tsx}', { cwd: ROOT });
  const bundled = await Promise.all([...islands, 'gateway/site/layout/styles/site.css'].map(bundleOne));
  return Object.fromEntries(bundled.flat());
}

/** Bundles a file with all that it needs: a page waits for few files. What it imports later is in files of their own. */
async function bundleOne(entry) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: ASSETS,
    entryNames: '[name].[hash]',
    chunkNames: 'later.[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    legalComments: 'none',
  });
  return Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) => {
    if (entryPoint === undefined) return [];
    const { name, ext } = path.parse(entryPoint);
    return [[`${name}${ext === '.css' ? '.css' : '.js'}`, addressOf(file)]];
  });
}

/** Writes a file with its hash in its name. Returns its address. */
async function writeHashed(name, text) {
  const { name: stem, ext } = path.parse(name);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const file = path.join(ASSETS, `${stem}.${hash}${ext}`);
  await writeFile(file, text);
  return addressOf(file);
}

function addressOf(file) {
  return `/assets/${path.basename(file)}`;
}

/** Writes a file in the forms that browsers accept, beside it. */
async function compress(file) {
  const bytes = await readFile(file);
  if (bytes.length < MIN_BYTES) return;
  const quality = values.quick ? 4 : bytes.length > LARGE_BYTES ? 9 : 11;
  await writeFile(`${file}.gz`, gzipSync(bytes, { level: values.quick ? 4 : 9 }));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await writeFile(`${file}.br`, brotliCompressSync(bytes, { params }));
}
