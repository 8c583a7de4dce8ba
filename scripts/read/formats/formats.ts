export * from '../files.ts';
