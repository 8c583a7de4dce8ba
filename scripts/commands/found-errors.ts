export * from './build-games.ts';
