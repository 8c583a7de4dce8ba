import { playTroubles } from './troubles.ts';

playTroubles(30, 40);
