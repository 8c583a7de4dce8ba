export * from '../read/json.ts';
