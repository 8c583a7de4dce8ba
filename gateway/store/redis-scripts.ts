import { createHash } from 'node:crypto';
import { REVISION } from './store.ts';

/** A Lua script and the SHA-1 by which Redis knows it. */
export interface Script {
  source: string;
  sha: string;
}

/** Every key of the store begins so. */
const SPACE = 'gdr:';
/** How many expired records a commit removes at most. */
const SWEEP = 100;
/** Stands in an answer for whether a request was admitted, where the script failed for its account. */
export const FAILED = -1;

/** What is done to records, by Redis's clock unless a time is given as the first argument. */
const RECORDS = `
local given = ARGV[1]
local now = tonumber(given)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local NAMES, EXPIRING = '${SPACE}names', '${SPACE}expiring'
local function at(name) return '${SPACE}record:' .. name end
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

/**
 * How counters are read, as `countersAt` does (plans/counters.ts), and written, by Redis's clock unless a time is given. After a
 * deadline the script ends here: nothing is done, and the reply is null.
 */
const COUNTERS = `
local MINUTE, DAY = 60000, 86400000
local given, deadline = ARGV[1], ARGV[2]
local now = tonumber(given)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if deadline ~= '' and now > tonumber(deadline) then return false end
local today = math.floor(now / DAY)
local function read(name)
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
  return {name = name, count = count, times = times}
end
local function describe(counters)
  local line = string.format('%.0f %.0f', today, counters.count)
  for _, time in ipairs(counters.times) do line = line .. string.format(' %.0f', time) end
  return line
end
local function write(counters)
  local line = describe(counters)
  redis.call('SET', counters.name, line, 'PX', string.format('%.0f', (today + 1) * DAY - now + MINUTE))
  return line
end
local function answer(admitted, line) return {admitted, string.format('%.0f', now), line} end
-- What fails for one account is told of that one, and nothing of it is written.
local function each(change)
  local answers = {}
  for index, name in ipairs(KEYS) do
    local done, result = pcall(change, name, index)
    if not done then result = answer(${FAILED}, type(result) == 'table' and result.err or tostring(result)) end
    answers[index] = result
  end
  return answers
end
`;

/** Each is one transaction. They name keys that they compute, so they run on one server, not on a cluster of many. */
export const SCRIPTS = {
  /** → [ms since 1970, revision as it is kept] */
  probe: script(`
    local time = redis.call('TIME')
    return {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), redis.call('GET', '${SPACE}record:${REVISION}') or ''}`),
  /** time or '', name… → [value or null, …] */
  read: script(`${RECORDS}
    local found = {}
    for index = 2, #ARGV do found[index - 1] = value_of(ARGV[index]) or false end
    return found`),
  /** time or '', prefix, name to begin after or '', limit → [name, value, …] */
  list: script(`${RECORDS}
    local prefix, after, limit = ARGV[2], ARGV[3], ARGV[4]
    sweep(-1)
    local from = after == '' and '[' .. prefix or '(' .. after
    local found = {}
    for _, name in ipairs(redis.call('ZRANGEBYLEX', NAMES, from, '[' .. prefix .. string.char(255), 'LIMIT', 0, limit)) do
      found[#found + 1] = name
      found[#found + 1] = value_of(name)
    end
    return found`),
  /** time or '', how many were read, of each: name, 1 where there was one, value; of each to write: name, record or '' to remove it, when it expires or '' → 1 when written */
  commit: script(`${RECORDS}
    local first_write = 3 + 3 * ARGV[2]
    for index = 3, first_write - 1, 3 do
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
    return 1`),
  /** counters */
  removeCounters: script(`return redis.call('DEL', KEYS[1])`),
  /** counters…; time or '', deadline or '', of each the caps of the minute and the day → [[1 when admitted, time, counters], …] or null */
  countRequests: script(`${COUNTERS} return each(function (name, index)
      local counters = read(name)
      local times = counters.times
      local admitted = 0
      if #times < tonumber(ARGV[2 * index + 1]) and counters.count < tonumber(ARGV[2 * index + 2]) then
        times[#times + 1] = now
        counters.count = counters.count + 1
        admitted = 1
      end
      return answer(admitted, write(counters))
    end)`),
  /** counters…; time or '', '', when it was admitted → [[0, time, counters], …] */
  uncountRequest: script(`${COUNTERS} return each(function (name)
      local counters = read(name)
      local times = counters.times
      local admitted = tonumber(ARGV[3])
      for index, time in ipairs(times) do
        if time == admitted then
          table.remove(times, index)
          if math.floor(admitted / DAY) == today then counters.count = counters.count - 1 end
          break
        end
      end
      return answer(0, write(counters))
    end)`),
  /** counters…; time or '', '' → [[0, time, counters], …] */
  readCounters: script(`${COUNTERS} return each(function (name) return answer(0, describe(read(name))) end)`),
} as const;

/** The Redis key of an account's counters. */
export function countersKey(account: string): string {
  return `${SPACE}quota:${account}`;
}

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
