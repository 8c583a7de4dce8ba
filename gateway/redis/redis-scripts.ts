import { createHash } from 'node:crypto';
import { IDENTITY, REVISION } from '../store/store.ts';

/** A Lua script and the SHA-1 by which Redis knows it. */
export interface Script {
  source: string;
  sha: string;
}

/** Makes a script. */
export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** How many expired records a commit removes at most. */
const SWEEP = 100;
/** For how long a commit is known by its id, in ms: longer than it can be on its way. */
const REMEMBERED_MS = 60_000;
/** The error code of a script that finds another store, or none, where it expected a certain one. */
export const LOST = 'LOST';

/** A Lua function that returns Redis's time. */
export const TIME_NOW = `
local function time_now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** The keys that are not records. `LOST_KEY` names the store that was here before Redis lost it. */
const describeKeys = (space: string) => `${TIME_NOW}
local NAMES, EXPIRING, LOST_KEY = '${space}names', '${space}expiring', '${space}lost'
local function at(name) return '${space}record:' .. name end
`;

/** Finds and removes records, by Redis's clock unless a time is given. Nothing is done where the store is not the expected one. */
const describeRecords = (space: string) => `${describeKeys(space)}
local given, expected = ARGV[1], ARGV[2]
local now = tonumber(given) or time_now()
if expected ~= '' and redis.call('GET', at('${IDENTITY}')) ~= '|' .. expected then
  return redis.error_reply('${LOST} this is not the store that it was')
end
local function value_of(name)
  local expires, value = string.match(redis.call('GET', at(name)) or '', '^(%d*)|(.*)$')
  if value and (expires == '' or tonumber(expires) > now) then return value end
end
local function remove(name)
  redis.call('DEL', at(name))
  redis.call('ZREM', NAMES, name)
  redis.call('ZREM', EXPIRING, name)
end
local function sweep(limit)
  local due = redis.call('ZRANGEBYSCORE', EXPIRING, '-inf', string.format('%.0f', now), 'LIMIT', 0, limit)
  for _, name in ipairs(due) do remove(name) end
end
`;

function makeIdentityScripts(keysOfStore: string) {
  return {
    /** identity of the store that is expected or '' → [ms since 1970, revision as it is kept, identity as it is kept or ''] */
    probe: script(`${keysOfStore}
    local expected = ARGV[1]
    local identity = redis.call('GET', at('${IDENTITY}')) or ''
    -- Whatever starts on this server from now on learns that something is missing.
    if identity == '' and expected ~= '' then redis.pcall('SET', LOST_KEY, expected, 'NX') end
    return {string.format('%.0f', time_now()), redis.call('GET', at('${REVISION}')) or '', identity}`),
    /** an identity for a store without one, 1 to give up what was lost, identity that is expected or '' → ['known' | 'created' | 'lost', identity] */
    identify: script(`${keysOfStore}
    local known = redis.call('GET', at('${IDENTITY}'))
    if known then return {'known', string.sub(known, 2)} end
    if ARGV[3] ~= '' then redis.call('SET', LOST_KEY, ARGV[3], 'NX') end
    local lost = redis.call('GET', LOST_KEY)
    if lost and ARGV[2] ~= '1' then return {'lost', lost} end
    local identity = lost or ARGV[1]
    redis.call('SET', at('${IDENTITY}'), '|' .. identity)
    redis.call('ZADD', NAMES, 0, '${IDENTITY}')
    redis.call('DEL', LOST_KEY)
    return {'created', identity}`),
  };
}

/**
 * Makes the scripts for records. Each is one transaction. They compute the names of keys, so all keys of a store must be on one server. After
 * `→` is the reply; first, all take a time or '', and an identity or ''.
 *
 * @param space what every key of the store begins with
 */
export function makeRecordScripts(space: string) {
  const records = describeRecords(space);
  return {
    ...makeIdentityScripts(describeKeys(space)),
    /** → 1 where the store can be written */
    ping: script(`${records}
    redis.call('SET', '${space}ping', string.format('%.0f', now), 'PX', 60000)
    return 1`),
    /** name… → [value or null, …] */
    read: script(`${records}
    local found = {}
    for index = 3, #ARGV do found[index - 2] = value_of(ARGV[index]) or false end
    return found`),
    /** name, the member that names another record, the beginning of that name → [value or null, value or null] */
    find: script(`${records}
    local value = value_of(ARGV[3])
    local is_json, object = pcall(cjson.decode, value or '')
    local id = is_json and type(object) == 'table' and object[ARGV[4]]
    return {value or false, type(id) == 'string' and value_of(ARGV[5] .. id) or false}`),
    /** prefix, name to begin after or '', limit → [[name, record as it is kept], …] */
    list: script(`${records}
    local prefix, after, limit = ARGV[3], ARGV[4], ARGV[5]
    sweep(-1)
    local from = after == '' and '[' .. prefix or '(' .. after
    local found = {}
    for _, name in ipairs(redis.call('ZRANGEBYLEX', NAMES, from, '[' .. prefix .. string.char(255), 'LIMIT', 0, limit)) do
      local text = redis.call('GET', at(name))
      -- Where a slot of a cluster is being moved, some of its keys are already on the other server.
      if not text then return redis.error_reply('TRYAGAIN a record of the list is missing') end
      found[#found + 1] = {name, text}
    end
    return found`),
    /**
     * id of the commit, how many were read, of each: name, 1 where there was one, value; of each to write: name, record or '' to remove it, when
     * it expires or '' → 1 when written. What is sent again with the same id is written once.
     */
    commit: script(`${records}
    local done = '${space}commit:' .. ARGV[3]
    if redis.call('EXISTS', done) == 1 then return 1 end
    local first_write = 5 + 3 * ARGV[4]
    for index = 5, first_write - 1, 3 do
      local expected = nil
      if ARGV[index + 1] == '1' then expected = ARGV[index + 2] end
      if value_of(ARGV[index]) ~= expected then return 0 end
    end
    sweep(${SWEEP})
    for index = first_write, #ARGV, 3 do
      local name, record, expires = ARGV[index], ARGV[index + 1], ARGV[index + 2]
      remove(name)
      if record ~= '' then
        redis.call('SET', at(name), record)
        redis.call('ZADD', NAMES, 0, name)
        if expires ~= '' then redis.call('ZADD', EXPIRING, expires, name) end
      end
    end
    redis.call('SET', done, '', 'PX', ${REMEMBERED_MS})
    return 1`),
  };
}
