import { DAY_MS, MINUTE_MS } from '../access/counters.ts';
import { script, TIME_NOW } from './redis-scripts.ts';

/** How long a time is in a line of counters, with the space before it: 13 digits until the year 2286. */
const TIME_LENGTH = 14;

/** The first member of a reply, instead of 0 or 1, if the script failed for the account. */
export const FAILED = -1;

/**
 * Makes a script for counters. The windows are defined by plans/counters.ts; this only drops what has left them, so that the rest can be
 * compared and changed. The time is that of Redis unless one is given. If a deadline is given and has passed, nothing is changed, and the reply
 * is null. A failure for one account is reported for that account only, and nothing of it is written.
 *
 * @param change the body of a function that compares and changes the `counters` whose place is `index`; what it returns comes first in the
 *   reply. Nothing is written if it returns nothing
 * @param quick the body of a function that may change the usual counters without reading each number of their `line`. It returns the reply, or nil
 *   where it does nothing
 * @returns counters…; time or '', deadline or '', what `change` takes → [[what it returned, time, counters], …] or null
 */
const counterScript = (change: string, quick = 'return nil') =>
  script(`${TIME_NOW}
local now, deadline = tonumber(ARGV[1]) or time_now(), ARGV[2]
if deadline ~= '' and now > tonumber(deadline) then return false end
local today = math.floor(now / ${DAY_MS})
local function add(times, time)
  if now - time < ${MINUTE_MS} then times[#times + 1] = math.min(time, now) end
end
local function read(line)
  local numbers, times = {}, {}
  for text in string.gmatch(line, '%S+') do numbers[#numbers + 1] = tonumber(text) or error('not a number') end
  for index = 3, #numbers do add(times, numbers[index]) end
  local day, count = numbers[1] or today, numbers[2] or 0
  if day < today then count = 0 end
  if day ~= today + 1 or count <= 0 then day = today end
  return {day = day, count = count, times = times}
end
local function describe(counters)
  local line = string.format('%.0f %.0f', counters.day, counters.count)
  for _, time in ipairs(counters.times) do line = line .. string.format(' %.0f', time) end
  return line
end
-- Counters are gone when nothing is in use; at the latest a minute after midnight.
local function set(name, line, day)
  redis.call('SET', name, line, 'PX', string.format('%.0f', (day + 1) * ${DAY_MS} - now + ${MINUTE_MS}))
end
local function write(name, counters, line)
  if counters.count == 0 and #counters.times == 0 then redis.call('DEL', name) else set(name, line, counters.day) end
end
local function change(counters, index)
${change}
end
local function quick(name, line, index)
${quick}
end
local replies = {}
for index, name in ipairs(KEYS) do
  local done, reply = pcall(function ()
    local before = redis.call('GET', name) or ''
    local reply = quick(name, before, index)
    if reply then return reply end
    local counters = read(before)
    local result = change(counters, index)
    local line = describe(counters)
    if result and line ~= before then write(name, counters, line) end
    return {result or 0, string.format('%.0f', now), line}
  end)
  if not done then reply = {${FAILED}, '', type(reply) == 'table' and reply.err or tostring(reply)} end
  replies[index] = reply
end
return replies`);

/** The scripts for counters, whose keys they get. Each script is one transaction. */
export const COUNTER_SCRIPTS = {
  removeCounters: script(`return redis.call('DEL', KEYS[1])`),
  readCounters: counterScript('return nil'),
  /** Takes the caps of the minute and the day for each account; returns 1 where a request was admitted, else 0. */
  countRequests: counterScript(
    `
  local times = counters.times
  if #times >= tonumber(ARGV[2 * index + 1]) or counters.count >= tonumber(ARGV[2 * index + 2]) then return 0 end
  times[#times + 1] = now
  counters.count = counters.count + 1
  return 1`,
    // Of today, below both caps, and with times that are not in the future: the first of them leave, and one is added.
    `
  local day, count, times = string.match(line, '^(%d+) (%d+)([ %d]*)$')
  if tonumber(day) ~= today or #times % ${TIME_LENGTH} ~= 0 then return nil end
  local first, time = 1, tonumber(string.sub(times, 2, ${TIME_LENGTH}))
  while time and now - time >= ${MINUTE_MS} do
    first = first + ${TIME_LENGTH}
    time = tonumber(string.sub(times, first + 1, first + ${TIME_LENGTH - 1}))
  end
  times = string.sub(times, first)
  if times ~= '' and not (time and tonumber(string.sub(times, -${TIME_LENGTH - 1})) <= now) then return nil end
  if #times / ${TIME_LENGTH} >= tonumber(ARGV[2 * index + 1]) or tonumber(count) >= tonumber(ARGV[2 * index + 2]) then return nil end
  local at = string.format('%.0f', now)
  line = day .. string.format(' %.0f', count + 1) .. times .. ' ' .. at
  set(name, line, today)
  return {1, at, line}`,
  ),
  /**
   * Takes the key of an id or '', the time of a request to remove or '', a day, how much to add to its count, and times of requests to add. Nothing
   * is changed if the id is known, or the request to remove is not there.
   */
  adjustCounters: counterScript(`
  local id, removed, day, count = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  if id ~= '' and not redis.call('SET', id, '', 'NX', 'PX', ${DAY_MS}) then return 0 end
  local times, place = counters.times, nil
  for index, time in ipairs(times) do if time == removed then place = place or index end end
  if place then table.remove(times, place) end
  if day == counters.day and (place or not removed) then counters.count = counters.count + count end
  for index = 7, #ARGV do add(times, tonumber(ARGV[index])) end
  table.sort(times)
  return 0`),
} as const;
