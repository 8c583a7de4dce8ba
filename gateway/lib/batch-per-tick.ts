/**
 * Gathers what comes in one turn of the event loop, and works on all of it together at the end of the turn: between system calls the same work
 * takes the processor two to three times as long.
 *
 * @param work gets all of a turn, in the order that it came
 * @param most how many are gathered; then they are worked on at once
 * @returns what adds one more
 */
export function batchPerTick<T>(
  work: (gathered: T[]) => void,
  most = Number.POSITIVE_INFINITY,
): (item: T) => void {
  let gathered: T[] = [];
  const workOnAll = () => {
    if (gathered.length === 0) return;
    const all = gathered;
    gathered = [];
    work(all);
  };
  return (item) => {
    if (gathered.length === 0) setImmediate(workOnAll);
    gathered.push(item);
    if (gathered.length >= most) workOnAll();
  };
}
