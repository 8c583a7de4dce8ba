export * from '../definition.ts';
