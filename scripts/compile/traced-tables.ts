export * from './evaluations.ts';
