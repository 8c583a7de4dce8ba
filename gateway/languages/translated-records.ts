import type { Draft } from '../http/draft.ts';
import { OPEN_LIST, OPEN_OBJECT } from '../query/fields.ts';
import { elementsOf, isText, type Member, membersOf } from './json-members.ts';

/** Numbers of an edit: the replaced bytes from, to; the bytes that replace them from, to; whether the replaced bytes are kept as `name_xx`. */
const EDIT = 5;

/**
 * Records in another language: each text that a record also has in that language (`name` and `name_ja`, also inside objects and lists) is
 * replaced by it. The places of the texts in a record are found once, then its bytes are copied around them.
 */
export class TranslatedRecords {
  readonly #records: () => readonly Buffer[];
  readonly #suffix: string;
  /** The member that keeps the replaced name: `name_en`. */
  readonly #kept: string | undefined;
  readonly #keptOpening: Buffer;
  readonly #edits: (readonly number[])[] = [];

  /**
   * @param records the records as JSON.stringify makes them
   * @param language as in the names of attributes: `ja`
   * @param own the language of `name`, if it is known: a replaced name is kept as `name_en`
   */
  constructor(records: () => readonly Buffer[], language: string, own: string | undefined) {
    this.#records = records;
    this.#suffix = `_${language}`;
    this.#kept = own === undefined || own === language ? undefined : `name_${own}`;
    this.#keptOpening = Buffer.from(`,"${this.#kept}":`);
  }

  /** Writes a record, or its bytes `from` to `to` (exclusive), which must be a whole value. */
  write(draft: Draft, row: number, from = 0, to = (this.#records()[row] as Buffer).length): void {
    const json = this.#records()[row] as Buffer;
    const edits = this.#editsOf(row, json);
    let at = from;
    for (let edit = 0; edit < edits.length; edit += EDIT) {
      const [start = 0, end = 0, otherStart = 0, otherEnd = 0, isKept] = edits.slice(edit, edit + EDIT);
      if (start < from || end > to) continue;
      draft.write(json, at, start);
      draft.write(json, otherStart, otherEnd);
      at = end;
      if (isKept !== 1) continue;
      draft.write(this.#keptOpening);
      draft.write(json, start, end);
    }
    draft.write(json, at, to);
  }

  #editsOf(row: number, json: Buffer): readonly number[] {
    let edits = this.#edits[row];
    if (edits === undefined) {
      edits = this.#find(json, 0).flat();
      this.#edits[row] = edits;
    }
    return edits;
  }

  /** Returns the edits of the value at a position, in the order of their places. */
  #find(json: Buffer, start: number): number[][] {
    if (json[start] === OPEN_LIST) return elementsOf(json, start).flatMap((at) => this.#find(json, at));
    if (json[start] !== OPEN_OBJECT) return [];
    const members = membersOf(json, start);
    const byKey = new Map(members.map((member) => [member.key, member]));
    return members.flatMap(({ key, from, to }) => {
      if (!isText(json, from)) return this.#find(json, from);
      const other = this.#translationOf(key, byKey);
      if (other === undefined || !isText(json, other.from)) return [];
      const isKept = start === 0 && key === 'name' && this.#kept !== undefined && !byKey.has(this.#kept);
      return [[from, to, other.from, other.to, Number(isKept)]];
    });
  }

  #translationOf(key: string, members: ReadonlyMap<string, Member>): Member | undefined {
    // `class_id` is not the class in Indonesian.
    if (this.#suffix === '_id' && key !== 'name') return undefined;
    return members.get(key + this.#suffix);
  }
}
