#!/usr/bin/env node
import { findFileLimit } from '../scripts/lib/open-files.ts';
import { MIN_DESCRIPTORS } from './http/descriptors.ts';

/** What a failed command left open must not keep it running for longer. */
const LEAVE_MS = 250;

const max = findFileLimit() ?? MIN_DESCRIPTORS;
if (max < MIN_DESCRIPTORS) {
  process.stderr.write(
    `gateway: it needs ${MIN_DESCRIPTORS} descriptors (open files and connections), and may have only ${max}: raise the limit with ulimit -n 65536 in a shell, or LimitNOFILE=65536 in a systemd unit\n`,
  );
  process.exit(1);
}

// Loaded only now: Node.js reports missing packages when it cannot open their files.
const { runGateway } = await import('./commands/program.ts');
const { DOORS } = await import('./doors.ts');
const code = await runGateway(process.argv.slice(2), DOORS);
// `serve` sets its exit code itself. 0 must not replace it.
if (code !== 0) process.exitCode = code;
if (process.exitCode) setTimeout(() => process.exit(), LEAVE_MS).unref();
