export { ENDPOINT_HELP, ENDPOINT_VARIABLE, isObjectStore } from '../publish/targets.ts';
