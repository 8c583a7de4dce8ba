export * from '../game.ts';
