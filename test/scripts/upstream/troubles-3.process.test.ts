import { playTroubles } from './troubles.ts';

playTroubles(20, 30);
