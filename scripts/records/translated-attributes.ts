export * from '../types/types.ts';
