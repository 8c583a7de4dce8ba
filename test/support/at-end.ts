const ends: (() => unknown)[] = [];

/** Calls a function after the last test of the file; those of later calls come first. */
export function atEnd(end: () => unknown): void {
  ends.push(end);
}

/** Ends what the tests of a file have started. The runner calls it. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
