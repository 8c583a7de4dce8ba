import { withRedis } from '../../skip.ts';
import { testStore } from './conformance.ts';
import { redisPlace } from './places.ts';

testStore('redis', redisPlace, withRedis);
