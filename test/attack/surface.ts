import type { Endpoint } from '../../gateway/http/incoming.ts';
import { describeApi } from '../../gateway/openapi/openapi.ts';
import { readPlatforms } from '../../gateway/people/membership/webhooks.ts';
import { peopleEndpoints } from '../../gateway/people/people.ts';
import { GAME } from '../campaigns/fleet.ts';
import { startGateway } from '../support/harness.ts';
import { ROUTES } from '../support/routes.ts';

/** The settings of platforms with which every page exists. */
export const PLATFORM_SETTINGS = {
  PATREON_WEBHOOK_SECRET: 'patreon-secret-qzpatreon',
  PATREON_MIN_CENTS: '500',
  KOFI_VERIFICATION_TOKEN: 'kofi-secret-qzkofi',
  KOFI_MIN_AMOUNT: '5 USD',
};

/** An operation of the API. */
export interface Operation {
  /** With `{name}` for parameters. */
  path: string;
  /** The names of its query parameters. */
  query: string[];
  /** The media types of its responses. */
  types: string[];
  isPro: boolean;
}

/** Everything that a gateway responds to. */
export interface Surface {
  operations: Operation[];
  /** Pages and other addresses that are read with GET. */
  pages: string[];
  /** Addresses of forms and webhooks. */
  posts: string[];
}

interface Described {
  parameters: { name: string; in: string }[];
  responses: Record<string, { content?: object }>;
}

/** Reads the surface from the route table and the endpoints, so that what is added later is attacked as well. */
export async function readSurface(): Promise<Surface> {
  const { paths } = JSON.parse(JSON.stringify(describeApi(ROUTES, '0'))) as {
    paths: Record<string, { get?: Described; post?: Described }>;
  };
  const operations = Object.entries(paths).flatMap(([path, { get }]) =>
    get ? readOperation(path, get) : [],
  );
  const described = Object.entries(paths).flatMap(([path, { post }]) => (post ? path : []));
  const endpoints = await listEndpoints();
  return {
    operations,
    pages: endpoints.filter(({ get }) => get).map(({ path }) => toTemplate(path)),
    posts: [
      ...new Set([...described, ...endpoints.filter(({ post }) => post).map(({ path }) => toTemplate(path))]),
    ],
  };
}

function readOperation(path: string, { parameters, responses }: Described): Operation {
  const types = Object.keys(responses['200']?.content ?? {});
  return {
    path,
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    types,
    isPro: ROUTES.some((route) => toTemplate(route.path) === path && route.isPro),
  };
}

/** Lists the endpoints for people and of the site of a gateway on which everything is turned on. */
async function listEndpoints(): Promise<Endpoint[]> {
  let found: Endpoint[] = [];
  const mailer = { send: async () => undefined };
  const gateway = await startGateway(GAME, {
    endpoints(parts) {
      const mailers = { mailer, signupMailer: mailer, accountMailer: mailer };
      const publicUrl = () => 'https://api.example.org';
      const platforms = readPlatforms(PLATFORM_SETTINGS);
      const people = peopleEndpoints({
        ...parts,
        ...mailers,
        publicUrl,
        platforms,
        policy: { isStrict: true },
      });
      found = [...people];
      return people;
    },
  });
  await gateway.stop();
  return [...found, ...gateway.pages];
}

function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}
