import { quoteValue } from '../findings/findings.ts';
import type { Column } from './columns.ts';
import { type Explanation, isExample } from './explain-changes.ts';
import type { RecordPair } from './field-changes.ts';
import { type BuildStep, type ListStep, nameSome, type StepFinding } from './step.ts';

/**
 * Reports the attributes whose changes have explanations of these kinds: one finding for all attributes of a list that changed in the same
 * way.
 *
 * @param describe what happened, as "times 10"
 */
export function reportExplained<Kind extends Explanation['kind']>(
  { lists, before: { build } }: BuildStep,
  kinds: readonly Kind[],
  describe: (explanation: Extract<Explanation, { kind: Kind }>) => string,
): StepFinding[] {
  return lists.flatMap((list) => {
    const groups = new Map<string, Column[]>();
    for (const column of list.columns) {
      const explanation = list.explained.get(column.key);
      if (explanation === undefined || !isOfKind(explanation, kinds)) continue;
      const explained = describe(explanation);
      groups.set(explained, [...(groups.get(explained) ?? []), column]);
    }
    return [...groups].map(([what, columns]) => toFinding(list, namesFirst(columns), what, build));
  });
}

function isOfKind<Kind extends Explanation['kind']>(
  explanation: Explanation,
  kinds: readonly Kind[],
): explanation is Extract<Explanation, { kind: Kind }> {
  return kinds.some((kind) => kind === explanation.kind);
}

function toFinding(
  list: ListStep,
  columns: readonly Column[],
  explained: string,
  build: string,
): StepFinding {
  const [column] = columns as [Column];
  const explanation = list.explained.get(column.key);
  const { count = 0 } = explanation ?? {};
  return {
    of: [list.after.list, ...commonPath(columns.map(({ key }) => key))].join('.'),
    place: list.place,
    found: `${quoteKeys(columns)} of ${list.after.list} ${explained} in ${count} of ${column.both} values${exampleOf(list, column)}`,
    expected: `the values of build ${build}, except for edits of single records`,
    changed: {
      ...{ attributes: keysOf(columns), count, all: column.both },
      ...(explanation?.kind === 'scaled' && { factor: explanation.by }),
      ...(explanation && 'value' in explanation && { value: explanation.value }),
    },
  };
}

/** Puts names first: of many attributes, a finding names few, and other names are what matters most. */
function namesFirst(columns: readonly Column[]): Column[] {
  const isName = ({ key }: Column) => /(?:^|\.)name(?:_\w+)?$/.test(key);
  return [...columns.filter(isName), ...columns.filter((column) => !isName(column))];
}

/** A value that changed, as the rest of a sentence. */
export function exampleOf({ pairs, explained }: ListStep, { key, changed }: Column): string {
  const explanation = explained.get(key);
  const first = changed.find((change) => !explanation || isExample(explanation, change)) ?? changed[0];
  if (first === undefined) return '';
  const [name] = pairs[first.record] as RecordPair;
  return `: "${key}" of "${name}" was ${quoteValue(first.before)} and is ${quoteValue(first.after)}`;
}

/** The keys of attributes. */
export function keysOf(columns: readonly { key: string }[]): string[] {
  return columns.map(({ key }) => key);
}

/** The keys of attributes, quoted. */
export function quoteKeys(columns: readonly { key: string }[]): string {
  return nameSome(columns.map(({ key }) => `"${key}"`));
}

/** The names that dotted keys begin with: of `stats.atk` and `stats.def`, `stats`. */
export function commonPath(keys: readonly string[]): string[] {
  const [first = [], ...others] = keys.map((key) => key.split('.'));
  const end = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return end === -1 ? first : first.slice(0, end);
}
