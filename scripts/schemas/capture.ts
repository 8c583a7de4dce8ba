export * from '../read/schema.ts';
