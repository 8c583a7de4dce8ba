export { readBody, sendRequest } from '../publish/object-store.ts';
