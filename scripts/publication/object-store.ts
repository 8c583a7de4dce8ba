export * from '../publish/object-store.ts';
