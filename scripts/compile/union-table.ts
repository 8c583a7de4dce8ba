export * from './mapping.ts';
