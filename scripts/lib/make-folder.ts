export * from '../system.ts';
