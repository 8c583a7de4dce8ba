import { prefersType } from '../http/incoming.ts';
import { ParameterError, type RawQuery, readOnce } from '../http/raw-query.ts';
import { NO_CHANGES } from '../data/archive.ts';
import type { DiffForm } from '../data/diff-worker.ts';
import { findGame, type QueryParameter, type Route, valuesOf } from './route.ts';
import { findBuild } from './snapshot.ts';

const JSON_PATCH = 'application/json-patch+json';

function buildParameter(name: string, description: string): QueryParameter {
  return { name, description, required: true, schema: { type: 'string', minLength: 1 } };
}

export const diffRoute: Route = {
  path: '/api/:game/diff',
  operationId: 'compareBuilds',
  summary: 'The differences between two builds',
  description:
    'Any two builds of a game, in either direction: which characters and records of datasets were added, removed and changed, with every ' +
    'value before and after. Attributes that a whole list gained or lost are listed once, in `attributes`. With `Accept: application/json-patch+json` a JSON Patch (RFC 6902) which, applied to the snapshot of `from`, ' +
    'gives a document equal to the snapshot of `to`.',
  needsKey: true,
  isPro: true,
  parameters: [
    buildParameter('from', 'The build to start from; `latest` is the newest.'),
    buildParameter('to', 'The build to end at; it may be the older one. `latest` is the newest.'),
  ],
  result: 'Diff',
  alternatives: { [JSON_PATCH]: 'Patch' },
  problems: ['unknown-game', 'unknown-build'],
  handle(request, { archive }) {
    const game = findGame(request);
    const [first, last] = [readBuild(request.query, 'from'), readBuild(request.query, 'to')];
    const from = findBuild(request.view, game, first);
    const to = findBuild(request.view, game, last);
    const form: DiffForm = prefersType(request.accept, JSON_PATCH) ? 'patch' : 'diff';
    return {
      tag: `${from.snapshot.sha256} ${to.snapshot.sha256}`,
      build: to.build,
      vary: 'Accept',
      ...(form === 'patch' && { type: JSON_PATCH }),
      async body() {
        if (from === to) return { json: nothing(game.slug, to.build, form) };
        return { json: await archive.diff(game, from, to, form, request.account) };
      },
    };
  },
};

function readBuild(query: RawQuery, parameter: 'from' | 'to'): string {
  const build = readOnce(parameter, valuesOf(query, parameter));
  if (build !== undefined) return build;
  throw new ParameterError(parameter, `${parameter} is missing, expected one build`);
}

function nothing(game: string, build: string, form: DiffForm): Buffer {
  const head = JSON.stringify({ game, from: build, to: build }).slice(0, -1);
  return Buffer.from(form === 'patch' ? '[]' : `${head},${NO_CHANGES}}`);
}
