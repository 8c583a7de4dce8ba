import { playTroubles } from './troubles.ts';

playTroubles(10, 20);
