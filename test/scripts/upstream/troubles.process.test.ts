import { playTroubles } from './troubles.ts';

playTroubles(0, 10);
