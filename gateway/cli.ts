#!/usr/bin/env node
import { runGateway } from './program.ts';

/** What a failed command left open must not keep it running for longer. */
const LEAVE_MS = 250;

const code = await runGateway(process.argv.slice(2));
// `serve` sets its exit code itself. 0 must not replace it.
if (code !== 0) process.exitCode = code;
if (process.exitCode) setTimeout(() => process.exit(), LEAVE_MS).unref();
