import { parse } from 'uvu/parse';
import { run } from 'uvu/run';

/** Runs every `*.test.ts` of this folder; with arguments only those whose path matches one of them. */
const wanted = process.argv.slice(2);
const { suites } = await parse(import.meta.dirname, String.raw`\.test\.ts$`);
await run(suites.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part))));
