import { testStore } from '../store/conformance.ts';
import { REDIS } from '../store/on-each-store.ts';

testStore(REDIS);
