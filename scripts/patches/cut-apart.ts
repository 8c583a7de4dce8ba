/** How much of what both texts begin with is left before the first difference. */
const CONTEXT = 20;

/**
 * Cuts two texts that differ so that the difference is seen: what both begin with is left out if it is long, and the ends are cut.
 *
 * @param max the number of characters of each, without ellipses
 */
export function cutApart(from: string, to: string, max: number): [string, string] {
  const [before, after] = [[...from], [...to]];
  const isLong = before.length > max || after.length > max;
  let same = 0;
  while (isLong && same < before.length && before[same] === after[same]) same++;
  const start = same > max / 2 ? Math.max(0, same - CONTEXT) : 0;
  const cut = (text: readonly string[]) =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + max).join('')}${text.length > start + max ? '…' : ''}`;
  return [cut(before), cut(after)];
}
