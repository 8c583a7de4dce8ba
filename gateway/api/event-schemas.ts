import { BUILD_NAME, SLUG } from '../../scripts/format/dist-format.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };

function object(properties: Record<string, unknown>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

function listing(items: unknown) {
  return object({
    count: whole,
    first: { type: 'array', items, description: 'As many of them as there is room for.' },
  });
}

const about = {
  game: { type: 'string', pattern: SLUG },
  title: text,
  build: { type: 'string', pattern: BUILD_NAME },
  released_at: instant,
  note: { type: ['string', 'null'] },
};
const named = listing(object({ id: text, name: text }));

/** The JSON Schemas of events, which every channel sends alike. */
export const EVENT_SCHEMAS = {
  GameEvent: {
    ...object({
      id: {
        type: 'string',
        description: 'The same however often, and by whatever channel, the event is sent.',
      },
      type: { enum: ['game.added', 'build.released', 'build.amended', 'alerts.test'] },
      timestamp: { ...instant, description: 'When it became visible to Pro keys, ISO 8601 in UTC.' },
      data: {
        oneOf: [
          object({
            ...about,
            characters: object({ added: named, removed: named, changed: named }),
            datasets: listing(object({ key: text, added: whole, removed: whole, changed: whole })),
          }),
          object({ ...about, amended_at: instant, reason: text }),
        ],
      },
    }),
    description:
      'That a game is new, a build was released, or a build was corrected (then with `reason`): less than 20 KB, long lists and texts are cut. Of a game that is new, everything is added.',
  },
} as const;

const signed = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  schema: text,
  description,
});

/** What is posted to the webhook of an account, as the OpenAPI document tells it. */
export const EVENT_WEBHOOK = {
  post: {
    operationId: 'receiveEvent',
    summary: 'An event of what the account follows',
    description:
      'In the form of Standard Webhooks. Anything but a 2xx within 15 seconds is tried again, nine times within three and a half days; ' +
      'a redirect is not followed. 410 ends the webhook.',
    security: [],
    parameters: [
      signed('webhook-id', 'The id of the event: the same each time that it is tried.'),
      signed('webhook-timestamp', 'When it was tried, in seconds since 1970.'),
      signed(
        'webhook-signature',
        '`v1,` and the HMAC-SHA256 of id, timestamp and body, joined by dots, in base 64.',
      ),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/GameEvent' } } },
    },
    responses: { '2XX': { description: 'It was received.' } },
  },
};
