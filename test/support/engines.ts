import { loadEngine, readSource } from '../../scripts/jsonata/load-engine.ts';

/** JSONata rewritten, as the installed package is used. */
export const REWRITTEN = loadEngine();

/** JSONata as published, as any package is used whose source is not the known one. */
export const PUBLISHED = loadEngine(`${readSource()}\n`);

export const ENGINES = { rewritten: REWRITTEN, published: PUBLISHED };
