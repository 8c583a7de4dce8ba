import type { JSX } from 'preact';
import { cutApart } from '../../../../scripts/patches/cut-apart.ts';
import { type Change, changesForPeople, describeChange } from '../../model/changes.ts';
import type { Known, Reader } from '../../model/format-value.ts';

/** Properties of `ChangeList`. */
export interface ChangeListProps {
  changes: readonly Change[];
  attributes: ReadonlyMap<string, Known>;
  reader: Reader;
}

/** How many changes are shown; the rest is folded. */
const SHORT = 8;
/** A longer value, such as a whole object, is cut. */
const MAX_VALUE_CHARS = 160;

/** The changes of a record: "ATK: 120 → 110, −8 %". */
export function ChangeList({ changes: all, ...props }: ChangeListProps): JSX.Element | null {
  const changes = changesForPeople(all, props.attributes);
  if (changes.length === 0) return null;
  const listOf = (some: readonly Change[]) => (
    <ul>
      {some.map((change) => (
        <ChangeLine key={change.path} change={change} {...props} />
      ))}
    </ul>
  );
  // A single line is not worth a fold.
  if (changes.length <= SHORT + 1) return listOf(changes);
  return (
    <>
      {listOf(changes.slice(0, SHORT))}
      <details>
        <summary>{changes.length - SHORT} more changes</summary>
        {listOf(changes.slice(SHORT))}
      </details>
    </>
  );
}

function ChangeLine({ change, attributes, reader }: Omit<ChangeListProps, 'changes'> & { change: Change }) {
  const { label, from, to, change: share } = describeChange(change, attributes, reader);
  const [before, after] = cutApart(from ?? 'nothing', to ?? 'nothing', MAX_VALUE_CHARS);
  return (
    <li>
      {label}:{' '}
      {from === undefined ? (
        <span class="badge">New</span>
      ) : (
        <>
          {before} <span aria-hidden="true">→</span>
          <span class="visually-hidden">becomes</span>
        </>
      )}{' '}
      {after}
      {share !== undefined && <span class="muted">, {share}</span>}
    </li>
  );
}
