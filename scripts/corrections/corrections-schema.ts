import { BUILD_NAME, DATASET_KEY } from '../format/dist-format.ts';
import { instant, reason } from '../read/game/build-schema.ts';

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

const buildName = { type: 'string', pattern: BUILD_NAME, description: 'the name of a build' };

const correction = {
  type: 'object',
  required: ['attribute', 'value', 'reason', 'since'],
  additionalProperties: false,
  properties: {
    collection: {
      type: 'string',
      pattern: DATASET_KEY,
      description: '"characters" or the key of a dataset',
      help: 'Where the record is: `characters`, which is the default, or the key of a dataset.',
    },
    id: {
      type: 'string',
      minLength: 1,
      help: 'The id of the record. A dataset that is one object has none.',
    },
    attribute: {
      type: 'string',
      pattern: '^[^.]+(\\.[^.]+)*$',
      description: 'a dotted key, such as stats.atk',
      help: 'The attribute, by its dotted key: `stats.atk`. A list is corrected as a whole.',
    },
    value: { help: 'The right value: any JSON value.' },
    reason: { ...reason, help: 'Why upstream is wrong, and how you know.' },
    since: { ...buildName, help: 'The first build that is corrected.' },
    until: {
      type: 'string',
      description: '"upstream agrees", or the name of a build',
      help: 'Where the correction ends: the first build that is not corrected any more; or `upstream agrees`, which ends it at the first build in which upstream has the value. Without it, it never ends.',
    },
  },
};

const withdrawal = {
  type: 'object',
  required: ['build', 'released_at', 'at', 'reason'],
  additionalProperties: false,
  properties: {
    build: { ...buildName, help: 'The name that the build had.' },
    released_at: { ...instant, help: 'When the build was released.' },
    at: { ...instant, help: 'When it was withdrawn.' },
    reason: { ...reason, help: 'Why it was withdrawn; the history shows it.' },
  },
};

/** JSON Schema of corrections.json. */
export const correctionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../corrections.schema.json". The compiler ignores it.',
    },
    corrections: {
      type: 'array',
      items: correction,
      help: 'Values that upstream has wrong. They are applied after the mapping, in every build since the one that is named.',
    },
    withdrawn: {
      type: 'array',
      items: withdrawal,
      help: 'Released builds that were removed; gamedata build --amend writes them.',
    },
  },
};
