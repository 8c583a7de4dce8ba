/** The rows of the table that are needed at a time; their elements are overwritten by each call. */
let rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];

/**
 * Returns how many edits turn one text into another: a UTF-16 unit inserted, removed or replaced, or two neighbours swapped (optimal string
 * alignment distance).
 *
 * @param most from 0 to 100; the result is `most + 1` when there are more
 */
export function editDistance(one: string, other: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(one.length - other.length) > most) return tooMany;
  if (other.length >= rows[0].length) {
    const size = 2 * other.length;
    rows = [new Uint8Array(size), new Uint8Array(size), new Uint8Array(size)];
  }
  let [before, above, row] = rows;
  // Cells away from the diagonal are never needed; `tooMany` stands in for them.
  for (let at = 0; at <= other.length; at++) above[at] = Math.min(at, tooMany);
  for (let i = 1; i <= one.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(other.length, i + most);
    row[from - 1] = from === 1 ? Math.min(i, tooMany) : tooMany;
    let least = row[from - 1] ?? 0;
    for (let j = from; j <= to; j++) {
      const isSame = one.charCodeAt(i - 1) === other.charCodeAt(j - 1);
      let edits = (above[j - 1] ?? 0) + (isSame ? 0 : 1);
      edits = Math.min(edits, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwapped =
        i > 1 &&
        j > 1 &&
        one.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1);
      if (isSwapped) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row[j] = Math.min(edits, tooMany);
      least = Math.min(least, edits);
    }
    if (to < other.length) row[to + 1] = tooMany;
    if (least > most) return tooMany;
    [before, above, row] = [above, row, before];
  }
  return above[other.length] ?? 0;
}
