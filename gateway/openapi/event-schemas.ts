import { BUILD_NAME, SLUG } from '../../scripts/format/dist-format.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };

function object(properties: Record<string, unknown>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

function listing(items: unknown) {
  return object({
    count: whole,
    first: { type: 'array', items, description: 'The first of them, as many as fit.' },
  });
}

const about = {
  game: { type: 'string', pattern: SLUG },
  title: text,
  build: { type: 'string', pattern: BUILD_NAME },
  released_at: instant,
  note: { type: ['string', 'null'] },
};
const attributesOf = (value: unknown) => ({
  ...object({ gained: value, lost: value }),
  description:
    'Only when there are any: attributes that no record had before, and those that none has any more. They are changes of the data, not of the game, and not counted in `changed`.',
});
const largest = {
  type: 'array',
  maxItems: 20,
  items: object(
    {
      collection: { ...text, description: '`characters`, or the key of a dataset.' },
      id: text,
      name: text,
      path: { ...text, description: 'A JSON Pointer into the record, or into a dataset without ids.' },
      label: { ...text, description: 'What the attribute is called, from the attribute dictionary.' },
      unit: text,
      from: { type: 'number' },
      to: { type: 'number' },
    },
    ['id', 'name', 'label', 'unit'],
  ),
  description:
    'Only if there are any: the numbers that changed most, by the difference as a part of the larger value; one for each attribute of a record. ' +
    '`diff` has all changes.',
};
const gained = {
  ...whole,
  description:
    'Only if there are any: how many of `added` the build is only the first to serve, although nothing says that they are new in the game.',
};
const named = listing(object({ id: text, name: text }));

const changes = {
  characters: object(
    { added: named, removed: named, changed: named, attributes: attributesOf(listing(text)) },
    ['attributes'],
  ),
  datasets: listing(
    object(
      { key: text, added: whole, gained, removed: whole, changed: whole, attributes: attributesOf(whole) },
      ['gained', 'attributes'],
    ),
  ),
  largest,
};

/** The JSON Schemas of events, which are the same on every channel. */
export const EVENT_SCHEMAS = {
  GameEvent: {
    ...object({
      id: {
        type: 'string',
        description: 'The same for every attempt and every channel that sends the event.',
      },
      type: { enum: ['game.added', 'build.released', 'build.amended', 'build.withdrawn', 'alerts.test'] },
      timestamp: { ...instant, description: 'When it became visible to Pro keys, ISO 8601 in UTC.' },
      data: {
        oneOf: [
          object({ ...about, ...changes }, ['largest']),
          object(
            {
              ...about,
              amended_at: instant,
              reason: text,
              builds: {
                ...listing(text),
                description: 'The corrected builds, oldest first; `build` is the newest.',
              },
              ...changes,
            },
            ['builds', 'characters', 'datasets', 'largest'],
          ),
          object({ ...about, withdrawn_at: instant, reason: text }),
        ],
      },
    }),
    description:
      'A game is new, a build was released, builds were corrected, or a build was removed (then with `reason`). A correction of several builds is one event, with what it changed where that is known. Less than 20 KB: long lists and texts are cut. In a new game, everything counts as added.',
  },
} as const;

const signed = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  schema: text,
  description,
});

/** The request to an account's webhook, as the OpenAPI document describes it. */
export const EVENT_WEBHOOK = {
  post: {
    operationId: 'receiveEvent',
    summary: 'An event about what the account follows',
    description:
      'In the form of Standard Webhooks. Without a 2xx within 15 seconds the event is sent again, up to nine times within three and a half days. ' +
      'A redirect is not followed. 410 ends the webhook.',
    tags: ['Account'],
    security: [],
    parameters: [
      signed('webhook-id', 'The id of the event: the same for every attempt.'),
      signed('webhook-timestamp', 'The time of the attempt, in seconds since 1970.'),
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
