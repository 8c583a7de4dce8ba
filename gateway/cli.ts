#!/usr/bin/env node
import { runGateway } from './commands/program.ts';

const code = await runGateway(process.argv.slice(2));
// `serve` sets its exit code itself. 0 must not replace it.
if (code !== 0) process.exitCode = code;
