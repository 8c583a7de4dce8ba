import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Known, Reader } from '../../model/format-value.ts';
import type { PatchPart, PatchRecord } from '../../model/patch-notes.ts';
import { referencesIn } from '../../model/changes.ts';
import { addressOf } from '../../model/linked.ts';
import type { Browser } from '../browser.ts';
import { ChangeList } from './change-list.tsx';
import { type AttributesReply, useNames, useReply } from '../use-reply.ts';

/** Properties of `PatchSection`. */
export interface PatchSectionProps {
  game: string;
  part: PatchPart;
  reader: Reader;
  browser: Browser;
  apiKey: string;
  /** Whether it is open at first. */
  isOpen: boolean;
}

/** How many records are shown until a reader wants more. */
const FIRST = 40;

/** What a build changed in one collection. Labels are loaded when it is opened. */
export function PatchSection({ isOpen, ...props }: PatchSectionProps): JSX.Element {
  const [wasOpened, setOpened] = useState(isOpen);
  const { title, summary } = props.part;
  return (
    <details class="patch-part" open={isOpen} onToggle={() => setOpened(true)}>
      <summary>
        <h2>{title}</h2> <span class="muted">{summary}</span>
      </summary>
      {wasOpened && <PatchContent {...props} />}
    </details>
  );
}

function PatchContent({ game, part, reader, browser, apiKey }: Omit<PatchSectionProps, 'isOpen'>) {
  const path = `/api/${game}/${encodeURIComponent(part.key)}/attributes`;
  const listed = useReply<AttributesReply>(browser, path, apiKey).reply?.body?.attributes;
  const attributes = useMemo<ReadonlyMap<string, Known>>(
    () => new Map(listed?.map((attribute) => [attribute.key, attribute])),
    [listed],
  );
  const { key, added, removed, changed, changes } = part;
  const changedValues = useMemo(
    () => referencesIn([...changes, ...changed.flatMap(({ changes: own }) => own)], attributes),
    [changes, changed, attributes],
  );
  const names = useNames(browser, game, changedValues, apiKey);
  const named: Reader = {
    ...reader,
    names: new Map([...(names ?? [])].map(([of, { name }]) => [of, name])),
  };
  const hrefOf = (id: string) => addressOf(game, key, id);
  return (
    <>
      <Names heading="New" records={added} hrefOf={hrefOf} />
      <Names heading="Removed" records={removed} />
      <ChangeList {...{ changes, attributes }} reader={named} />
      <More
        items={changed}
        show={({ id, name, changes: own }) => (
          <li key={id}>
            <h3>
              <a href={hrefOf(id)}>{name ?? id}</a>
            </h3>
            <ChangeList changes={own} attributes={attributes} reader={named} />
          </li>
        )}
      />
      <Gained part={part} />
    </>
  );
}

/** A list that shows its first items, and the rest on demand. */
function More<T>({ items, show }: { items: readonly T[]; show: (item: T) => JSX.Element }) {
  const [isLong, setLong] = useState(false);
  if (items.length === 0) return null;
  return (
    <>
      <ul class="changed-records">{items.slice(0, isLong ? undefined : FIRST).map(show)}</ul>
      {!isLong && items.length > FIRST && (
        <p>
          <button type="button" class="quiet" onClick={() => setLong(true)}>
            Show all {items.length}
          </button>
        </p>
      )}
    </>
  );
}

/** @param hrefOf undefined for records that no page shows */
function Names({
  heading,
  records,
  hrefOf,
}: {
  heading: string;
  records: readonly PatchRecord[];
  hrefOf?: (id: string) => string;
}) {
  if (records.length === 0) return null;
  return (
    <p>
      <span class={heading === 'New' ? 'badge' : 'badge badge-removed'}>{heading}</span>{' '}
      {records.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          {hrefOf ? <a href={hrefOf(id)}>{name ?? id}</a> : (name ?? id)}
        </span>
      ))}
    </p>
  );
}

function Gained({ part }: { part: PatchPart }) {
  const { gained, lost, elements = [] } = part.attributes;
  const lists = elements.map(({ key, values }) => (values ? `${key} (${values.join(', ')})` : key));
  if (gained.length + lost.length + lists.length + part.gained === 0) return null;
  return (
    <details class="small muted">
      <summary>Changes of the data, not of the game</summary>
      {part.gained > 0 && <p>Records that are served from this build on: {part.gained}.</p>}
      {lists.length > 0 && <p>Lists with new kinds of elements: {lists.join(', ')}.</p>}
      {gained.length > 0 && <p>New attributes: {gained.join(', ')}.</p>}
      {lost.length > 0 && <p>Attributes that are gone: {lost.join(', ')}.</p>}
    </details>
  );
}
