import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Makes one module of the client, without comments. It begins with the name and version of its package. */
export async function bundleClient() {
  const { name, version, license } = JSON.parse(await readFile(path.join(FOLDER, 'package.json'), 'utf8'));
  const { outputFiles } = await build({
    entryPoints: [path.join(FOLDER, 'client.ts')],
    bundle: true,
    format: 'esm',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    minify: true,
    write: false,
    banner: { js: `/* ${name} ${version}, ${license} */` },
  });
  return outputFiles[0].text;
}
