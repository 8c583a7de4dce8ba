export * from '../compile/workers.ts';
