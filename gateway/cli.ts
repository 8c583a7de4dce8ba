#!/usr/bin/env node
import { runGateway } from './program.ts';

/** Whatever a failed command left open may keep it running only this long. */
const LEAVE_MS = 250;

const code = await runGateway(process.argv.slice(2));
// `serve` sets its own exit code, which 0 must not replace.
if (code !== 0) process.exitCode = code;
if (process.exitCode) setTimeout(() => process.exit(), LEAVE_MS).unref();
