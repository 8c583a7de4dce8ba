export * from '../bulk/tables.ts';
