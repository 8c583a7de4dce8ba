// Writes the files of the gateway's pages into build/, after the TypeScript compiler: the files that browsers load, the guides of docs/ as HTML and
// as text for language models, and the feed of changes. With --quick, for tests, files are compressed less.
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import fastGlob from 'fast-glob';
import { renderChanges, renderGuides, renderLlms } from './guides.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SITE = path.join(ROOT, 'build/gateway/site');
const PUBLIC = path.join(SITE, 'public');
const ASSETS = path.join(PUBLIC, 'assets');
/** Compression hardly shortens smaller files. */
const MIN_BYTES = 1024;
const isQuick = process.argv.includes('--quick');

await mkdir(ASSETS, { recursive: true });
const { HUES } = await import(path.join(SITE, 'tile.js'));
const hues = HUES.map(([, color], hue) => `.hue-${hue}{--hue:${color}}`);
await writeFile(path.join(ROOT, 'build/hues.css'), hues.join(''));
const guides = await renderGuides(path.join(ROOT, 'docs'));
const client = await bundleClient();
const changelog = path.join(ROOT, 'CHANGELOG.md');
const favicon = await readFile(path.join(ROOT, 'gateway/site/favicon.svg'), 'utf8');
const pinned = await writeHashed('client.js', client);
const assets = { ...(await bundle()), 'favicon.svg': await writeHashed('favicon.svg', favicon) };
await writeFile(path.join(SITE, 'assets.json'), JSON.stringify(assets));
await writeFile(path.join(SITE, 'guides.json'), JSON.stringify(guides.map(({ text: _, ...guide }) => guide)));
const files = {
  ...renderLlms(guides),
  'favicon.svg': favicon,
  'client.js': `/* This version for good: ${pinned} */\n${client}`,
  'changes.atom': renderChanges(await readFile(changelog, 'utf8'), (await stat(changelog)).mtime),
};
for (const [name, text] of Object.entries(files)) await writeFile(path.join(PUBLIC, name), text);
for (const file of await fastGlob('**/*.{js,css,svg,txt,atom}', { cwd: PUBLIC, absolute: true }))
  await compress(file);

/** Bundles the client and openapi-fetch into one module, which begins with the name and version of the package. */
async function bundleClient() {
  const folder = path.join(ROOT, 'gateway/client');
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const { outputFiles } = await build({
    entryPoints: [path.join(folder, 'client.ts')],
    bundle: true,
    format: 'esm',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    minify: true,
    write: false,
    banner: { js: `/* ${name} ${version}, ${license} */` },
  });
  return outputFiles[0].text;
}

/** Bundles scripts and the stylesheet. @returns their addresses by name */
async function bundle() {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['site', 'explore', 'patch', 'account']
      .map((name) => `gateway/site/islands/${name}.ts`)
      .concat('gateway/site/styles/site.css'),
    outdir: ASSETS,
    entryNames: '[name].[hash]',
    bundle: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
    minify: true,
    metafile: true,
    legalComments: 'none',
  });
  const outputs = Object.keys(metafile.outputs).map((file) => path.basename(file));
  return Object.fromEntries(outputs.map((file) => [file.replace(/\.\w+(?=\.)/, ''), `/assets/${file}`]));
}

/** Writes a file with its hash in its name. @returns its address */
async function writeHashed(name, text) {
  const { name: stem, ext } = path.parse(name);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  await writeFile(path.join(ASSETS, `${stem}.${hash}${ext}`), text);
  return `/assets/${stem}.${hash}${ext}`;
}

/** Writes the compressed forms of a file beside it. */
async function compress(file) {
  const bytes = await readFile(file);
  if (bytes.length < MIN_BYTES) return;
  await writeFile(`${file}.gz`, gzipSync(bytes, { level: isQuick ? 4 : 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: isQuick ? 4 : 11 };
  await writeFile(`${file}.br`, brotliCompressSync(bytes, { params }));
}
