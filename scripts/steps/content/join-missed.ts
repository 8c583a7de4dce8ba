import type { Join } from '../../compile/joins.ts';
import { countOf } from '../../lib/count-of.ts';
import { exampleRecords } from '../rule.ts';
import { nameSome } from '../step.ts';
import type { ContentCheck } from './content.ts';
import { mappingExample } from '../examples.ts';
import {
  attributesFrom,
  describeJoin,
  exampleKeys,
  findMissedJoins,
  joinName,
  mappedLists,
} from './mapped-lists.ts';

const items = { from: 'units', entry: "{'id': id, 'guild': $get($tables.guilds, guild).title}" };
const guilds = [{ id: 'north', title: 'North' }];

/** Six units, of which the last one is in this guild. */
const inGuilds = (guild: string) => exampleRecords(6, (index) => ({ guild: index === 5 ? guild : 'n/a' }));

export const joinMissedCheck: ContentCheck<'min_lookups'> = {
  name: 'join-missed',
  description: 'A mapping that looks up keys in a table finds at least one of them.',
  scope: 'build',
  severity: 'error',
  thresholds: {
    min_lookups: {
      default: 5,
      min: 1,
      max: 1e9,
      help: 'fewer keys are not reported, although all are missed',
    },
  },
  lasting: true,
  passes: mappingExample(items, { guilds, units: inGuilds('north') }),
  fails: mappingExample(items, { guilds, units: inGuilds('North') }),
  check: (content, { min_lookups }) =>
    mappedLists(content).flatMap((mapped) =>
      findMissedJoins(content, mapped)
        .filter(({ missed }) => missed >= min_lookups)
        .map((join: Join) => ({
          of: joinName(mapped, join),
          causes: attributesFrom(mapped, join),
          place: mapped.expression.placeOf(join.table),
          found: `nothing in ${describeJoin(join)} for ${countOf(join.missed, 'key')} of ${mapped.list.list}, which is all of them: ${nameSome(join.keys)}`,
          expected: `keys that it has${exampleKeys(content, join)}`,
        })),
    ),
};
