import { atLine } from '../../compile/expression.ts';
import { type NamedAttribute, namedIn } from './named-attributes.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import { countOf } from '../../lib/count-of.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { Content, ContentCheck } from './content.ts';
import { mappingExample } from '../examples.ts';
import { hasValue, type MappedList, mappedLists } from './mapped-lists.ts';

const items = { from: 'units', entry: "{'id': id, 'stats': {'atk': attack, 'def': defense}}" };

export const attributeUnservedCheck: ContentCheck<'min_records'> = {
  name: 'attribute-unserved',
  description: 'Every attribute that a mapping names has a value in at least one record.',
  scope: 'build',
  severity: 'warning',
  thresholds: {
    min_records: { default: 3, min: 1, max: 1e9, help: 'a list of fewer records is not checked' },
  },
  lasting: true,
  passes: mappingExample(items, {
    units: exampleRecords(3, (index) => ({ attack: 1, ...(index === 2 && { defense: 0 }) })),
  }),
  fails: mappingExample(items, { units: exampleRecords(3, () => ({ attack: 1, defence: 1 })) }),
  check: (content, { min_records }) =>
    mappedLists(content)
      .filter(({ list }) => list.kind === 'object' || list.records.length >= min_records)
      .flatMap((mapped) =>
        findUnserved(content, mapped).map((attribute) => describe(content, mapped, attribute)),
      ),
};

/** The attributes that no record has. Those inside an attribute that is not there are left out. */
export function findUnserved(
  content: Content,
  mapped: MappedList,
  attributes: readonly NamedAttribute[] = namedIn(mapped.expression),
): NamedAttribute[] {
  const { records } = mapped.list;
  if (records.length === 0) return [];
  const { tables } = content.build.trace;
  const earlier = content.before?.lists.get(mapped.list.list)?.records ?? [];
  return attributes.flatMap((attribute): NamedAttribute[] => {
    // A table that is optional may be absent.
    if ([...attribute.tables].some((table) => !tables.has(table))) return [];
    const isServed = (record: JsonObject) => hasValue(record, attribute.path);
    // What the build before had is the matter of gates.
    if (!records.some(isServed)) return earlier.some(isServed) ? [] : [attribute];
    return findUnserved(content, mapped, attribute.inside);
  });
}

function describe(
  { misspelt }: Content,
  { list, expression }: MappedList,
  { path, line, reads }: NamedAttribute,
): StepFinding {
  const name = path.join('.');
  const twin = misspelt.find((other) => other.expression === expression && reads.has(other.name));
  return {
    of: `${list.list}.${name}`,
    place: atLine(expression.place, line),
    found: `no value for "${name}" in ${list.kind === 'object' ? `the dataset "${list.list}"` : `all ${countOf(list.records.length, 'record')} of ${list.list}`}`,
    expected: 'a value in at least one record, because the mapping names it',
    ...(twin && {
      fix: `"${twin.name}" is in no row of table "${twin.table}"${twin.near === undefined ? '' : `; did you mean "${twin.near}"?`}`,
    }),
  };
}
