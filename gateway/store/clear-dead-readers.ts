/** A program for `process-number.ts`: opens the LMDB environment in a folder, which clears the entries of dead readers, and closes it. */
import { open } from 'lmdb';

await open({ path: process.argv[2] ?? '', noSubdir: false }).close();
