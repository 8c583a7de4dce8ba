import type { JSX } from 'preact';
import { type Change, describeChange } from '../model/changes.ts';
import type { Known, Reader } from '../model/format-value.ts';

/** Properties of `ChangeList`. */
export interface ChangeListProps {
  changes: readonly Change[];
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
}

/** More changes are folded. */
const SHORT = 12;
/** A longer value, such as a whole object, is cut. */
const MAX_VALUE_CHARS = 160;

/** The changes of a record: "ATK: 120 → 110, −8 %". */
export function ChangeList({ changes, ...props }: ChangeListProps): JSX.Element | null {
  if (changes.length === 0) return null;
  const list = (
    <ul>
      {changes.map((change) => (
        <ChangeLine key={change.path} change={change} {...props} />
      ))}
    </ul>
  );
  if (changes.length <= SHORT) return list;
  return (
    <details>
      <summary>{changes.length} changes</summary>
      {list}
    </details>
  );
}

function ChangeLine({ change, attributes, reader }: Omit<ChangeListProps, 'changes'> & { change: Change }) {
  const { label, from, to, change: share } = describeChange(change, attributes, reader);
  return (
    <li>
      {label}: {shorten(from)} <span aria-hidden="true">→</span>
      <span class="visually-hidden">becomes</span> {shorten(to)}
      {share !== undefined && <span class="muted">, {share}</span>}
    </li>
  );
}

function shorten(text = 'nothing'): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}
