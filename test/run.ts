import { spawnSync } from 'node:child_process';
import { parse } from 'uvu/parse';
import { run } from 'uvu/run';

/** Runs every `*.test.ts` of this folder; with arguments only those whose path matches one of them. */
const wanted = process.argv.slice(2);
// The commands are tested as they are installed: compiled.
const { status } = spawnSync('npm run --silent prepare', { shell: true, stdio: 'inherit' });
if (status !== 0) process.exit(1);
const { suites } = await parse(import.meta.dirname, String.raw`\.test\.ts$`);
await run(suites.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part))));
