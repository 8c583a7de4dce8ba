import { loadEngine, readSource } from '../../scripts/jsonata/load-engine.ts';

/** The rewritten JSONata: what the installed package becomes. */
export const REWRITTEN = await loadEngine();

/** JSONata as published: what is used if the source of the package is not the known one. */
export const PUBLISHED = await loadEngine(`${readSource()}\n`);

export const ENGINES = { rewritten: REWRITTEN, published: PUBLISHED };
