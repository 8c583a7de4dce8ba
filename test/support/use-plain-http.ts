import { usePlainHttp } from './harness.ts';

// Imported before the tests that are to run without the fast path.
usePlainHttp();
