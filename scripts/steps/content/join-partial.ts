import { type NamedAttribute, namedIn } from './named-attributes.ts';
import { atLine } from '../../compile/expression.ts';
import { nameSome, percent, type StepFinding } from '../step.ts';
import type { Content, ContentCheck } from './content.ts';
import { mappingExample } from '../examples.ts';
import {
  describeJoin,
  exampleKeys,
  hasValue,
  joinName,
  type MappedList,
  mappedLists,
} from './mapped-lists.ts';

const items = { from: 'units', entry: "{'id': id, 'guild': $get($tables.guilds, guild).title}" };
const guilds = [{ id: 'north', title: 'North' }];
/** Ten units, of which the first ones are in a guild that the table does not have. */
const missed = (count: number) =>
  Array.from({ length: 10 }, (_, index) => ({ id: `id-${index}`, guild: index < count ? 'n/a' : 'north' }));

export const joinPartialCheck: ContentCheck<'max_missed_share' | 'min_lookups'> = {
  name: 'join-partial',
  description: 'A mapping that looks up keys in a table finds at least half of them.',
  scope: 'build',
  severity: 'warning',
  thresholds: {
    max_missed_share: { default: 0.5, min: 0, max: 1, help: 'the share of keys that may be missed' },
    min_lookups: { default: 5, min: 1, max: 1e9, help: 'fewer keys are not reported' },
  },
  lasting: true,
  passes: mappingExample(items, { guilds, units: missed(5) }),
  fails: mappingExample(items, { guilds, units: missed(6) }),
  *check(content, { max_missed_share, min_lookups }) {
    for (const mapped of mappedLists(content)) {
      for (const share of [...sharesOfJoins(content, mapped), ...sharesOfFilters(content, mapped)]) {
        const { missed, of, keys, total, what, example } = share;
        if (total < min_lookups || missed === total || missed <= total * max_missed_share) continue;
        const finding: StepFinding = {
          of,
          place: share.place,
          found: `nothing in ${what} for ${missed} of ${total} ${share.unit} of ${mapped.list.list} (${percent(missed / total)}): ${nameSome(keys)}`,
          expected: `at most ${percent(max_missed_share)} missed${example}`,
        };
        yield finding;
      }
    }
  },
};

/** How many look-ups in one place of the tables found nothing. */
interface Share {
  of: string;
  place: StepFinding['place'];
  what: string;
  unit: 'keys' | 'records';
  missed: number;
  total: number;
  keys: readonly string[];
  example: string;
}

/** The look-ups by key. Where a key has a list of rows, a key without rows is usual. */
function sharesOfJoins(content: Content, mapped: MappedList): Share[] {
  const { trace, source } = content.build;
  const many = new Set(source.definition.tables.flatMap(({ name, many }) => (many ? [name] : [])));
  return trace.joins
    .of(mapped.expression)
    .filter(({ table }) => !many.has(table))
    .map((join) => ({
      of: joinName(mapped, join),
      place: mapped.expression.placeOf(join.table),
      what: describeJoin(join),
      unit: 'keys',
      missed: join.missed,
      total: join.missed + join.found,
      keys: join.keys,
      example: `; keys that it has${exampleKeys(content, join)}`,
    }));
}

/** The look-ups by a condition, such as `$tables.texts[key = $id]`, seen by the records that lack an attribute that is made of them. */
function sharesOfFilters({ build }: Content, { list, expression }: MappedList): Share[] {
  if (list.kind === 'object') return [];
  const isList = (table: string) => Array.isArray(build.trace.tables.get(table)?.value);
  return namedIn(expression).flatMap((attribute: NamedAttribute): Share[] => {
    const table = [...attribute.filtered].find(isList);
    if (table === undefined) return [];
    const without = list.records.filter((record) => !hasValue(record, attribute.path));
    return [
      {
        of: `${list.list}.${attribute.path.join('.')}`,
        place: atLine(expression.place, attribute.line),
        what: `table "${table}", and so no "${attribute.path.join('.')}",`,
        unit: 'records',
        missed: without.length,
        total: list.records.length,
        keys: without.slice(0, 4).map(({ id }, position) => (typeof id === 'string' ? id : String(position))),
        example: '',
      },
    ];
  });
}
