import { createHash } from 'node:crypto';
import { readVersion } from '../../scripts/system.ts';
import { type GameDocument, printTypes, typesFromOpenApi } from '../../scripts/types/types.ts';
import type { Route } from '../api/route.ts';
import type { GameBuild } from '../data/game-build.ts';
import { describeGame } from './game-openapi.ts';
import { describeApi } from './openapi.ts';

/** A document, and what identifies it. */
interface ServedDocument {
  json: Buffer;
  sha256: string;
}

const ofAllGames = new WeakMap<readonly Route[], ServedDocument>();
const ofGames = new WeakMap<GameBuild, Promise<Buffer>>();

/** Returns the OpenAPI document of a route table as JSON; it is made once. */
export function documentOf(routes: readonly Route[]): ServedDocument {
  let document = ofAllGames.get(routes);
  if (document === undefined) {
    const json = Buffer.from(JSON.stringify(describeApi(routes, readVersion())));
    document = { json, sha256: createHash('sha256').update(json).digest('hex') };
    ofAllGames.set(routes, document);
  }
  return document;
}

/** Returns the OpenAPI document of one game as JSON; it is made once for each build. */
export function documentOfGame(game: GameBuild, routes: readonly Route[]): Promise<Buffer> {
  const cachedDocument = ofGames.get(game);
  if (cachedDocument) return cachedDocument;
  const making = describeGame(game, routes, readVersion()).then((document) =>
    Buffer.from(JSON.stringify(document)),
  );
  ofGames.set(game, making);
  return making;
}

const types = new WeakMap<GameBuild, Promise<Buffer>>();

/** Returns the types of one game as TypeScript; they are made once for each build. */
export function typesOfGame(game: GameBuild, routes: readonly Route[]): Promise<Buffer> {
  const typesText = types.get(game);
  if (typesText) return typesText;
  const making = documentOfGame(game, routes).then((json) => {
    const document: GameDocument = JSON.parse(json.toString());
    return Buffer.from(printTypes(typesFromOpenApi(game.slug, document)));
  });
  types.set(game, making);
  return making;
}
