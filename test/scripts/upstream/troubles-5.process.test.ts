import { playTroubles } from './troubles.ts';

playTroubles(40, 50);
