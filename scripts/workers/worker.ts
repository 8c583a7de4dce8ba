import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setFlagsFromString } from 'node:v8';

export * from './tasks.ts';

// A process that runs out of memory prints pages about its own inside; what people need to know of it becomes a finding.
closeSync(2);
openSync(devNull, 'w');

/**
 * How much of a function V8 runs, in bytes of its code, before it optimises it. By default it is a quarter of that, made for what runs
 * long: a worker lives for seconds, and spent a fifth of them on that.
 */
const BYTES_BEFORE_OPTIMISING = 300_000;
setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_OPTIMISING}`);
