import { playTroubles } from './troubles.ts';

playTroubles(50);
