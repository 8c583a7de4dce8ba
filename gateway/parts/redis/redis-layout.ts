import { makeRecordScripts, type RecordScripts } from './redis-scripts.ts';

/** The names of a store's keys in Redis. */
export interface RedisLayout {
  /** The scripts for records, which compute the names of their keys. */
  scripts: RecordScripts;
  /** The keys that are named to run a script on records, if servers have to know them. */
  keysOfRecords(names: readonly string[]): string[];
  /** The key of an account's counters. */
  countersKey(account: string): string;
  /** The key that exists for a day after some requests of an account were merged. */
  mergedKey(account: string, id: string): string;
}

const SPACE = 'gdr:';
/** One hash tag for all records: a transaction changes records of several tables, and a script runs on one server. */
const RECORDS_SPACE = '{gdr}:';

/** On one server. */
export const SERVER_LAYOUT: RedisLayout = {
  scripts: makeRecordScripts(SPACE),
  keysOfRecords: () => [],
  countersKey: (account) => `${SPACE}quota:${account}`,
  mergedKey: (account, id) => `${SPACE}merged:${account}:${id}`,
};

/** In a cluster: all records have one hash tag, and what belongs to the counters of an account has that of the account. */
export const CLUSTER_LAYOUT: RedisLayout = {
  scripts: makeRecordScripts(RECORDS_SPACE),
  keysOfRecords: (names) => [
    `${RECORDS_SPACE}names`,
    ...names.map((name) => `${RECORDS_SPACE}record:${name}`),
  ],
  countersKey: (account) => `${SPACE}quota:{${account}}`,
  mergedKey: (account, id) => `${SPACE}merged:{${account}}:${id}`,
};
