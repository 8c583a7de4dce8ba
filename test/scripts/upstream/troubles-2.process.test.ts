import { playTroubles } from './troubles.ts';

playTroubles(12, 24);
