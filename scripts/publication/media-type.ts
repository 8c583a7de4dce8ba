export { mediaTypeOf } from '../publish/targets.ts';
