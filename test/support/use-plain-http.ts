import { usePlainHttp } from './harness.ts';

// Imported before tests that run without the fast path.
usePlainHttp();
