import { REDIS, useDrivers } from './on-each-store.ts';

// A module of its own, as imports are run before anything else in a file.
useDrivers([REDIS]);
