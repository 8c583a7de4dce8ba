export * from '../library.ts';
