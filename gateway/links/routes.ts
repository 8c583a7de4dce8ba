import { findGame, type QueryParameter, type Route } from '../api/route.ts';
import { downloadSnapshot, findBuild } from '../api/snapshot.ts';
import { findFile, LINK, linkTo, readVia } from './shared/file-route.ts';
import { FILES } from './shared/gateway-scheme.ts';

const VIA: QueryParameter = {
  name: 'via',
  description:
    '`link`: respond with an address that needs no key and expires in ten minutes, for another program to download from. It may lead to ' +
    'another host: do not send the key there.',
  schema: { enum: [LINK] },
};

export const fileRoute: Route = {
  path: `${FILES}/:game/:file`,
  operationId: 'getFile',
  summary: 'A snapshot by its signed address',
  description:
    'The download that `via=link` of a snapshot leads to, when the gateway itself serves it. It needs no key: anyone with the address can ' +
    'use it until it expires. When the build was corrected since, the address is not found.',
  needsKey: false,
  isSigned: true,
  isFile: true,
  parameters: [
    {
      name: 'expires',
      required: true,
      description: 'When the address expires, in seconds since 1970.',
      schema: { type: 'integer' },
    },
    {
      name: 'signature',
      required: true,
      description: 'The signature of the gateway.',
      schema: { type: 'string' },
    },
  ],
  result: 'Snapshot',
  problems: ['invalid-link', 'not-found', 'range-not-satisfiable', 'unavailable'],
  handle: (request, services) =>
    findFile(request, services, (game, entry, file) =>
      entry.snapshot.file === file ? downloadSnapshot(game, entry, services) : undefined,
    ),
};

/** Returns the route of snapshots, which can respond with a signed address. */
export function addVia(route: Route): Route {
  return {
    ...route,
    description: `${route.description} With \`via=link\` the response is a signed address of the download instead.`,
    parameters: [VIA, ...route.parameters],
    result: 'SnapshotOrLink',
    handle(request, services) {
      if (!readVia(request.query)) return route.handle(request, services);
      const { build, snapshot } = findBuild(request.view, findGame(request), request.params.build ?? '');
      return linkTo(build, snapshot, services);
    },
  };
}
