import { makeRecordScripts } from './redis-scripts.ts';

/** The names of a store's keys in Redis, and the scripts that use them. */
export type RedisLayout = ReturnType<typeof layoutOf>;

/**
 * Returns the layout of a store on one server or in a cluster. In a cluster all records have one hash tag, since a transaction changes records of
 * several tables and a script runs on one server; the counters of an account have the account as theirs.
 */
export function layoutOf({ isCluster }: { isCluster: boolean }) {
  const space = isCluster ? '{gdr}:' : 'gdr:';
  const tagOf = (account: string) => (isCluster ? `{${account}}` : account);
  return {
    scripts: makeRecordScripts(space),
    /** The keys of records. The first one is in each store. */
    keysOf: (names: readonly string[]) => [`${space}names`, ...names.map((name) => `${space}record:${name}`)],
    /** The key of an account's counters. */
    countersKey: (account: string) => `gdr:quota:${tagOf(account)}`,
    /** The key that exists for a day after some requests of an account were merged. */
    mergedKey: (account: string, id: string) => `gdr:merged:${tagOf(account)}:${id}`,
  };
}
