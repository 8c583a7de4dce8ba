import { REDIS, useDrivers } from './on-each-store.ts';

// A separate module, because a file's imports run before its other code.
useDrivers([REDIS]);
