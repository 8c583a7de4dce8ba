export * from '../format/json.ts';
