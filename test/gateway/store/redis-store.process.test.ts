import { testStore } from './conformance.ts';
import { REDIS } from './on-each-store.ts';

testStore(REDIS);
