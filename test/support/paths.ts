import path from 'node:path';

/** The root of the checkout. Tests run compiled, from build/test/. */
export const ROOT = path.resolve(import.meta.dirname, '../../..');

/** The compiled files. */
export const BUILD = path.join(ROOT, 'build');

/** The data folder with the shipped games. */
export const DATA = path.join(ROOT, 'data');
