export * from '../compile/game.ts';
