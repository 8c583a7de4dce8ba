import { testStore } from '../../core/store/conformance.ts';
import { REDIS } from '../../core/store/on-each-store.ts';

testStore(REDIS);
