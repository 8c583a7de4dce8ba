// Builds the client's package in build/client/, and packs it into the current folder: `npm run pack:client`.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.join(SOURCE, '../..');
const PACKAGE = path.join(ROOT, 'build/client');

rmSync(PACKAGE, { recursive: true, force: true });
execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', SOURCE, '--outDir', PACKAGE], {
  stdio: 'inherit',
});
cpSync(path.join(SOURCE, 'package.json'), path.join(PACKAGE, 'package.json'));
cpSync(path.join(SOURCE, 'package-readme.md'), path.join(PACKAGE, 'README.md'));
cpSync(path.join(ROOT, 'LICENSE'), path.join(PACKAGE, 'LICENSE'));
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
// npm publish --provenance compares it with the repository of the workflow.
if (server && name)
  execFileSync('npm', ['pkg', 'set', `repository.url=git+${server}/${name}.git`, 'repository.type=git'], {
    cwd: PACKAGE,
  });
execFileSync('npm', ['pack', PACKAGE, ...process.argv.slice(2)], { stdio: 'inherit' });
