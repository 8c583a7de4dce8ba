#!/usr/bin/env node
import { runGateway } from './commands/program.ts';

const code = await runGateway(process.argv.slice(2));
// `serve` sets an exit code of its own, which 0 must not replace.
if (code !== 0) process.exitCode = code;
