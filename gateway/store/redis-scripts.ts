import { createHash } from 'node:crypto';

/** A Lua script and the SHA-1 by which Redis knows it. */
export interface Script {
  source: string;
  sha: string;
}

/** Every key of the store begins so. */
const SPACE = 'gdr:';

const HELPERS = `
local function at(table, name) return '${SPACE}' .. table .. ':' .. name end
local function change_revision(revision) redis.call('SET', '${SPACE}revision', revision) end
local function read_key(hash)
  local key = redis.call('GET', at('key', hash))
  local account = key and redis.call('GET', at('account', cjson.decode(key).account))
  return account and {key, account}
end
local function read_account(email)
  local id = redis.call('GET', at('email', email))
  return id and cjson.decode(redis.call('GET', at('account', id)))
end
local function set_tier(account, grant, revision)
  for name, value in pairs(cjson.decode(grant)) do account[name] = value end
  redis.call('SET', at('account', account.id), cjson.encode(account))
  change_revision(revision)
end
local function end_key(prefix, time, revision)
  local hash = redis.call('GET', at('prefix', prefix))
  if not hash then return false end
  local key = cjson.decode(redis.call('GET', at('key', hash)))
  if key.revoked_at == cjson.null or key.revoked_at > time then
    key.revoked_at = time
    redis.call('SET', at('key', hash), cjson.encode(key))
    change_revision(revision)
  end
  return read_key(hash)
end
`;

/** Reads the counters as `countersAt` does (quota/counters.ts), by Redis's clock unless a time is given, and writes them. */
const COUNTERS = `
local MINUTE, DAY = 60000, 86400000
local name, given, deadline = KEYS[1], ARGV[1], ARGV[2]
local now = tonumber(given)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if deadline ~= '' and now > tonumber(deadline) then return false end
local today = math.floor(now / DAY)
local day, count, times = today, 0, {}
local position = 0
for text in string.gmatch(redis.call('GET', name) or '', '%S+') do
  local number = tonumber(text)
  position = position + 1
  if position == 1 then day = number
  elseif position == 2 then count = number
  elseif now - number < MINUTE then times[#times + 1] = math.min(number, now) end
end
if day < today then count = 0 end
local function answer(admitted, is_changed)
  local line = string.format('%.0f %.0f', today, count)
  for _, time in ipairs(times) do line = line .. string.format(' %.0f', time) end
  if is_changed then redis.call('SET', name, line, 'PX', string.format('%.0f', (today + 1) * DAY - now + MINUTE)) end
  return {admitted, string.format('%.0f', now), line}
end
`;

/** Each is one transaction. They name keys that they compute, so they run on one server, not on a cluster of many. */
export const SCRIPTS = {
  /** → [ms since 1970, revision] */
  probe: script(`
    local time = redis.call('TIME')
    return {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), redis.call('GET', '${SPACE}revision') or ''}`),
  /** hash → [key, account] */
  findKey: script(`${HELPERS} return read_key(ARGV[1])`),
  /** prefix → [key, account] */
  keyByPrefix: script(`${HELPERS}
    local hash = redis.call('GET', at('prefix', ARGV[1]))
    return hash and read_key(hash)`),
  /** → [[key, account], …] */
  listKeys: script(`${HELPERS}
    local found = {}
    for _, hash in ipairs(redis.call('SMEMBERS', '${SPACE}keys')) do found[#found + 1] = read_key(hash) end
    return found`),
  /** email → [account, key, …] */
  accountByEmail: script(`${HELPERS}
    local id = redis.call('GET', at('email', ARGV[1]))
    if not id then return false end
    local found = {redis.call('GET', at('account', id))}
    for _, hash in ipairs(redis.call('SMEMBERS', at('keys', id))) do
      found[#found + 1] = redis.call('GET', at('key', hash))
    end
    return found`),
  /** new account, new key, grant or '', replaced prefix or '', its end, revision → [key, account] */
  issueKey: script(`${HELPERS}
    local fresh, key, grant, replaced, replaced_end, revision = cjson.decode(ARGV[1]), cjson.decode(ARGV[2]), ARGV[3], ARGV[4], ARGV[5], ARGV[6]
    if redis.call('EXISTS', at('prefix', key.prefix)) == 1 then return false end
    local account = read_account(fresh.email)
    if not account then
      account = fresh
      redis.call('SET', at('account', account.id), cjson.encode(account))
      redis.call('SET', at('email', account.email), account.id)
    end
    if grant ~= '' then set_tier(account, grant, revision) end
    key.account = account.id
    redis.call('SET', at('key', key.hash), cjson.encode(key))
    redis.call('SET', at('prefix', key.prefix), key.hash)
    redis.call('SADD', at('keys', account.id), key.hash)
    redis.call('SADD', '${SPACE}keys', key.hash)
    if replaced ~= '' then end_key(replaced, replaced_end, revision) end
    return read_key(key.hash)`),
  /** email, grant, revision → account */
  grantTier: script(`${HELPERS}
    local account = read_account(ARGV[1])
    if not account then return false end
    set_tier(account, ARGV[2], ARGV[3])
    return cjson.encode(account)`),
  /** prefix, time, revision → [key, account] */
  revokeKey: script(`${HELPERS} return end_key(ARGV[1], ARGV[2], ARGV[3])`),
  /** email, revision → 1 when there was such an account */
  deleteAccount: script(`${HELPERS}
    local account = read_account(ARGV[1])
    if not account then return 0 end
    for _, hash in ipairs(redis.call('SMEMBERS', at('keys', account.id))) do
      redis.call('DEL', at('key', hash), at('prefix', cjson.decode(redis.call('GET', at('key', hash))).prefix))
      redis.call('SREM', '${SPACE}keys', hash)
    end
    redis.call('DEL', at('keys', account.id), at('email', account.email), at('account', account.id), at('quota', account.id))
    change_revision(ARGV[2])
    return 1`),
  /** time or '', deadline or '', cap of the minute, cap of the day → [1 when admitted, time, counters] */
  countRequest: script(`${COUNTERS}
    if #times >= tonumber(ARGV[3]) or count >= tonumber(ARGV[4]) then return answer(0, true) end
    times[#times + 1] = now
    count = count + 1
    return answer(1, true)`),
  /** time or '', '', when it was admitted → [0, time, counters] */
  uncountRequest: script(`${COUNTERS}
    local admitted = tonumber(ARGV[3])
    for index, time in ipairs(times) do
      if time == admitted then
        table.remove(times, index)
        if math.floor(admitted / DAY) == today then count = count - 1 end
        break
      end
    end
    return answer(0, true)`),
  /** time or '', '' → [0, time, counters] */
  readCounters: script(`${COUNTERS} return answer(0, false)`),
} as const;

/** The Redis key of an account's counters. */
export function countersKey(account: string): string {
  return `${SPACE}quota:${account}`;
}

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
