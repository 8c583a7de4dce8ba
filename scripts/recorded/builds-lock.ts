export * from '../check/recorded.ts';
