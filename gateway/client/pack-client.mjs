// Makes the package of the client in build/client/, and packs it into the current folder: `npm run pack:client`.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleClient } from './bundle-client.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = path.join(ROOT, 'gateway/client');
const PACKAGE = path.join(ROOT, 'build/client');

await rm(PACKAGE, { recursive: true, force: true });
await mkdir(PACKAGE, { recursive: true });
await writeFile(path.join(PACKAGE, 'client.js'), await bundleClient());
const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
const options = ['-p', path.join(SOURCE, 'tsconfig.json'), '--rootDir', SOURCE, '--outDir', PACKAGE];
execFileSync(tsc, options, { stdio: 'inherit' });
for (const file of await readdir(PACKAGE)) {
  if (!file.endsWith('.d.ts')) continue;
  const text = await readFile(path.join(PACKAGE, file), 'utf8');
  await writeFile(path.join(PACKAGE, file), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
const definition = JSON.parse(await readFile(path.join(SOURCE, 'package.json'), 'utf8'));
// npm publish --provenance compares it with the repository that the workflow runs in.
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
if (server && name) definition.repository = { type: 'git', url: `git+${server}/${name}.git` };
await writeFile(path.join(PACKAGE, 'package.json'), JSON.stringify(definition, undefined, 2));
await copyFile(path.join(SOURCE, 'cli.mjs'), path.join(PACKAGE, 'cli.mjs'));
await copyFile(path.join(SOURCE, 'package-readme.md'), path.join(PACKAGE, 'README.md'));
await copyFile(path.join(ROOT, 'LICENSE'), path.join(PACKAGE, 'LICENSE'));
execFileSync('npm', ['pack', PACKAGE, ...process.argv.slice(2)], { stdio: 'inherit' });
