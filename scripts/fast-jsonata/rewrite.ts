import { createHash } from 'node:crypto';

/** A replacement in the package's source. It must match exactly `times` times. */
export interface Replacement {
  name: string;
  why: string;
  /** With the flag `g`. */
  pattern: RegExp;
  by: string;
  times: number;
}

/** The replacements for one source, which is identified by its hash. */
export interface RewriteTable {
  /** The SHA-256 of the published source, hexadecimal. */
  sha256: string;
  repairs: readonly Replacement[];
  /** Made after the repairs. */
  synchronous: readonly Replacement[];
}

/** Two forms of the package's source, or the reason why it cannot be rewritten. */
export type Rewritten =
  | {
      /** Without its faults. */
      repaired: string;
      /** The same, and without promises. */
      synchronous: string;
    }
  | { problem: string };

/** Makes every replacement of the table, or none: for any other source only the problem is returned. */
export function rewrite(source: string, table: RewriteTable): Rewritten {
  const sha256 = createHash('sha256').update(source).digest('hex');
  if (sha256 !== table.sha256)
    return { problem: `its source, with the SHA-256 ${sha256}, is not the known one` };
  const repaired = replaceAll(source, table.repairs);
  if ('problem' in repaired) return repaired;
  const synchronous = replaceAll(repaired.text, table.synchronous);
  if ('problem' in synchronous) return synchronous;
  return { repaired: repaired.text, synchronous: synchronous.text };
}

function replaceAll(
  source: string,
  replacements: readonly Replacement[],
): { text: string } | { problem: string } {
  let text = source;
  for (const { name, pattern, by, times } of replacements) {
    const count = text.match(pattern)?.length ?? 0;
    text = text.replaceAll(pattern, by);
    if (count !== times) return { problem: `"${name}" is in its source ${count} times, expected ${times}` };
  }
  return { text };
}
