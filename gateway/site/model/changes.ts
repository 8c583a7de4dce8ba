import type { Json } from '../../../scripts/format/json.ts';
import { pointerSteps } from '../../../scripts/lib/json-pointer.ts';
import { formatChange, formatValue, isInternal, type Known, labelOf, type Reader } from './format-value.ts';

/** A change of the API: `path` is a JSON Pointer into the full record; `from` or `to` is absent where there was nothing. */
export interface Change {
  path: string;
  from?: Json;
  to?: Json;
}

/** How many records of a collection are looked up at most: their ids are in an address. */
const MAX_IDS = 200;

/** The ids that changes name as values, by the collection that they refer to. */
export function referencesIn(
  changes: readonly Change[],
  attributes: ReadonlyMap<string, Known>,
): Map<string, string[]> {
  const ids = new Map<string, Set<string>>();
  for (const { path, from, to } of changes) {
    const { ref } = attributes.get(keyOf(pointerSteps(path))) ?? {};
    if (ref === undefined) continue;
    const ofList = ids.get(ref) ?? new Set();
    ids.set(ref, ofList);
    for (const value of [from, to].flat())
      if (typeof value === 'string' && ofList.size < MAX_IDS) ofList.add(value);
  }
  return new Map([...ids].map(([collection, ofList]) => [collection, [...ofList]]));
}

/** A change in words. */
export interface DescribedChange {
  /** `Stats · ATK`. */
  label: string;
  /** undefined where there was nothing. */
  from: string | undefined;
  to: string | undefined;
  /** `−8 %`; undefined if the values are not numbers. */
  change: string | undefined;
}

/** Writes a change for people: "Stats · ATK", "120", "110", "−8 %". */
export function describeChange(
  { path, from, to }: Change,
  attributes: ReadonlyMap<string, Known>,
  reader: Reader,
): DescribedChange {
  const steps = pointerSteps(path);
  const key = keyOf(steps);
  const attribute = attributes.get(key) ?? { key };
  const write = (value: Json | undefined) =>
    value === undefined ? undefined : formatValue(value, attribute, reader);
  return {
    label: labelSteps(steps, attributes, reader.lang),
    from: write(from),
    to: write(to),
    change: formatChange(from, to, reader.locale),
  };
}

/** An attribute that changed, and how its numbers did: they grew, they fell, or some did either; or none did. */
export interface SummarizedChange {
  label: string;
  direction: 'up' | 'down' | 'both' | 'none';
}

/** Names the attributes that changed, each once, with the direction of their numbers and without any value; those for programs only if there are no others. */
export function summarizeChanges(
  changes: readonly Change[],
  attributes: ReadonlyMap<string, Known>,
  reader: Reader,
): SummarizedChange[] {
  const directions = new Map<string, SummarizedChange['direction']>();
  for (const { path, from, to } of changesForPeople(changes, attributes)) {
    const label = labelSteps(
      pointerSteps(path).filter((step) => !isPosition(step)),
      attributes,
      reader.lang,
    );
    const isNumber = typeof from === 'number' && typeof to === 'number';
    const direction = isNumber ? (to > from ? 'up' : 'down') : 'none';
    const before = directions.get(label) ?? 'none';
    const isSame = direction === 'none' || direction === before;
    directions.set(label, isSame ? before : before === 'none' ? direction : 'both');
  }
  return [...directions].map(([label, direction]) => ({ label, direction }));
}

/** Leaves out the changes of attributes that are for programs, if there are others. */
export function changesForPeople(
  changes: readonly Change[],
  attributes: ReadonlyMap<string, Known>,
): readonly Change[] {
  const forPeople = changes.filter(({ path }) => {
    const key = keyOf(pointerSteps(path));
    return !isInternal(attributes.get(key) ?? { key });
  });
  return forPeople.length > 0 ? forPeople : changes;
}

/** `/skills/0/name` → `Skills 1 · Name`. */
function labelSteps(steps: readonly string[], attributes: ReadonlyMap<string, Known>, lang: string): string {
  const labels: string[] = [];
  for (const [at, step] of steps.entries()) {
    const last = labels.length - 1;
    if (isPosition(step) && last >= 0) labels[last] = `${labels[last]} ${Number(step) + 1}`;
    else {
      const key = keyOf(steps.slice(0, at + 1));
      labels.push(labelOf(attributes.get(key) ?? { key }, lang));
    }
  }
  return labels.length === 0 ? 'Everything' : labels.join(' · ');
}

/** The dotted key of a pointer: positions in lists are no part of it. */
function keyOf(steps: readonly string[]): string {
  return steps.filter((step) => !isPosition(step)).join('.');
}

function isPosition(step: string): boolean {
  return /^\d+$/.test(step);
}
