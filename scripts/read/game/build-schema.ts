export * from '../game-schema.ts';
