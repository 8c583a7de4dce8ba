import { randomInt, randomUUID } from 'node:crypto';
import type { Sql } from './sql.ts';

/** How many changes this process has made. */
let made = 0;

/** Returns a number that grows with each change that this process makes, so that it sees its own changes at once. */
export function ownChanges(): number {
  return made;
}

/** Makes all gateways read keys and accounts again, within a second after the transaction of this call. */
export async function changeRevision(sql: Sql): Promise<void> {
  made += 1;
  // A row of its own, because transactions that change the same row would be in each other's way.
  await sql.run('INSERT INTO revisions (id, mark, at) VALUES ($1, $2, $3)', [
    randomUUID(),
    randomInt(2 ** 31),
    sql.now(),
  ]);
}

/** Reads a text that changes with every call of `changeRevision`. */
export async function readRevision(sql: Sql): Promise<string> {
  const row = await sql.get<{ count: number; sum: number }>(
    'SELECT count(*) AS count, coalesce(sum(mark), 0) AS sum FROM revisions',
  );
  return `${row?.count} ${row?.sum}`;
}
