const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
const instantOrNull = { ...instant, type: ['string', 'null'] };

function object(properties: Record<string, unknown>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

const window = object({
  used: whole,
  remaining: whole,
  resets_at: { ...instantOrNull, description: 'When `remaining` next grows; null while nothing is used.' },
});
const channel = { enum: ['on', 'off', 'disabled'] };
const limits = { ...object({ minute: whole, day: whole }), type: ['object', 'null'] };
const usage = { ...object({ minute: window, day: window }), type: ['object', 'null'] };

/** The schemas of what the API says of an account. */
export const ACCOUNT_SCHEMAS = {
  Me: object({
    tier: { enum: ['free', 'pro'] },
    key: object({
      prefix: text,
      name: { type: ['string', 'null'], description: 'How its holder calls it; null without a name.' },
      created_at: instant,
      expires_at: {
        ...instantOrNull,
        description: 'When the key stops working, because it expires or was replaced; null when it does not.',
      },
      browser: {
        ...object({
          origins: { type: 'array', items: text, description: 'The origins of the pages that it works on.' },
          limits: { ...limits, description: 'Its own caps, within those of the account; null without any.' },
          usage: { ...usage, description: 'How much of its own caps is used; null without any.' },
        }),
        type: ['object', 'null'],
        description: 'What a browser key is bound to; null for every other key.',
      },
    }),
    email: {
      type: ['string', 'null'],
      description: 'Masked; null for a browser key that visitors of pages can read.',
    },
    pro_until: { ...instantOrNull, description: 'When Pro ends; null without an end, and on the free tier.' },
    limits: {
      ...limits,
      description:
        'The caps on the requests of the account, with all of its keys together: in any 60 seconds, and in a UTC day; null without caps.',
    },
    usage: {
      ...usage,
      description: 'How much of each cap is used; null without caps.',
    },
    freshness: object({
      delay_hours: { ...whole, description: 'How long after its release a build becomes visible.' },
    }),
    follows: {
      type: ['array', 'null'],
      items: text,
      description:
        'What the account follows: slugs of games, `all_games`, `new_games`. Without Pro it is kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.',
    },
    channels: {
      ...object({ webhook: channel, discord: channel, slack: channel, mail: channel, feed: channel }),
      type: ['object', 'null'],
      description:
        'The channels on which the account gets alerts, which are set on the account page: `disabled` if the receiver said that the webhook was removed. Without Pro they are kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.',
    },
  }),
} as const;
