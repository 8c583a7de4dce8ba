import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setFlagsFromString } from 'node:v8';

export * from './tasks.ts';

// A process that runs out of memory prints pages about V8. The finding says what is needed.
closeSync(2);
openSync(devNull, 'w');

/**
 * How many bytes of a function's code V8 runs before it optimises the function. V8's default is a quarter of that, for processes that run
 * longer than a worker (docs/speed.md).
 */
const BYTES_BEFORE_OPTIMISING = 300_000;
setFlagsFromString(`--interrupt-budget=${BYTES_BEFORE_OPTIMISING}`);
