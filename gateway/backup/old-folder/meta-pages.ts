import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { OLD_DATA } from '../../store/folder-files.ts';

/** Where a meta page of LMDB has its parts, in bytes (`MDB_meta` in lmdb's mdb.c). */
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
/** How often the pages are read again: a process that writes may change one while the other is read. */
const MAX_READS = 20;

/**
 * Finds out whether a meta page of a data file is damaged. LMDB writes its two meta pages in turn, one per transaction, and silently opens the
 * state before the last transaction when the newer one is damaged. In a backup, which LMDB writes without free pages, only the second one is in use.
 *
 * @returns what is wrong; undefined when the pages are of two successive transactions, or the first one is not in use yet
 * @throws Error when the file cannot be read
 */
export async function findMetaFault(folder: string): Promise<string | undefined> {
  const file = await open(join(folder, OLD_DATA), 'r');
  try {
    let fault: string | undefined;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const first = Buffer.alloc(META_BYTES);
      const second = Buffer.alloc(META_BYTES);
      await file.read(first, 0, META_BYTES, 0);
      await file.read(second, 0, META_BYTES, first.readUInt32LE(PAGE_SIZE_AT));
      fault = describeFault(first, second);
      if (fault === undefined) break;
    }
    return fault;
  } finally {
    await file.close();
  }
}

function describeFault(first: Buffer, second: Buffer): string | undefined {
  if ([first, second].some((page) => page.readUInt32LE(MAGIC_AT) !== MAGIC)) return 'a meta page is damaged';
  if (isUnused(first)) return undefined;
  const [one, other] = [first.readBigUInt64LE(TRANSACTION_AT), second.readBigUInt64LE(TRANSACTION_AT)];
  if (one - other === 1n || other - one === 1n) return undefined;
  return `its meta pages are of the transactions ${one} and ${other}, which are not successive`;
}

/** A meta page as LMDB writes it into a new file: of no transaction, with no page after the two. */
function isUnused(meta: Buffer): boolean {
  return meta.readBigUInt64LE(TRANSACTION_AT) === 0n && meta.readBigUInt64LE(LAST_PAGE_AT) === 1n;
}
