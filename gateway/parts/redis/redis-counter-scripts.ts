import { type Script, script } from './redis-scripts.ts';

/** The first member of a reply, instead of 0 or 1, if the script failed for the account. */
export const FAILED = -1;

/**
 * The beginning of each script: functions that read counters, as `countersAt` does (plans/counters.ts), and write them. The time is that of
 * Redis unless one is given. If a deadline is given and has passed, the script ends here: it changes nothing, and the reply is null.
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
  local wasSetBack = false
  local position = 0
  for text in string.gmatch(redis.call('GET', name) or '', '%S+') do
    local number = tonumber(text)
    position = position + 1
    if position == 1 then day = number
    elseif position == 2 then count = number
    elseif now - number < MINUTE then
      wasSetBack = wasSetBack or number > now
      times[#times + 1] = math.min(number, now)
    end
  end
  if day < today then count = 0 end
  if day ~= today + 1 then day = today end
  return {name = name, day = day, count = count, times = times, wasSetBack = wasSetBack}
end
local function describe(counters)
  local line = string.format('%.0f %.0f', counters.day, counters.count)
  for _, time in ipairs(counters.times) do line = line .. string.format(' %.0f', time) end
  return line
end
-- Counters are gone when nothing is in use; at the latest a minute after midnight.
local function write(counters)
  local line = describe(counters)
  if counters.count == 0 and #counters.times == 0 then redis.call('DEL', counters.name)
  else redis.call('SET', counters.name, line, 'PX', string.format('%.0f', (counters.day + 1) * DAY - now + MINUTE)) end
  return line
end
local function reply(admitted, line) return {admitted, string.format('%.0f', now), line} end
-- A failure of one account is reported for that account only, and nothing of it is written.
local function each(change)
  local replies = {}
  for index, name in ipairs(KEYS) do
    local done, result = pcall(change, name, index)
    if not done then result = reply(${FAILED}, type(result) == 'table' and result.err or tostring(result)) end
    replies[index] = result
  end
  return replies
end
`;

/** The scripts for counters, whose keys they get. Each script is one transaction. */
export const COUNTER_SCRIPTS = {
  /** counters */
  removeCounters: script(`return redis.call('DEL', KEYS[1])`),
  /** counters…; time or '', deadline or '', for each the caps of the minute and the day → [[1 when admitted, time, counters], …] or null */
  countRequests: script(`${COUNTERS} return each(function (name, index)
      local counters = read(name)
      local times = counters.times
      if #times >= tonumber(ARGV[2 * index + 1]) or counters.count >= tonumber(ARGV[2 * index + 2]) then
        -- A refusal writes nothing, except that after a clock was set back its time is the newest.
        return reply(0, counters.wasSetBack and write(counters) or describe(counters))
      end
      times[#times + 1] = now
      counters.count = counters.count + 1
      return reply(1, write(counters))
    end)`),
  /** counters…; time or '', '', when it was admitted → [[0, time, counters], …] */
  uncountRequest: script(`${COUNTERS} return each(function (name)
      local counters = read(name)
      local times = counters.times
      local admitted = tonumber(ARGV[3])
      for index, time in ipairs(times) do
        if time == admitted then
          table.remove(times, index)
          if math.floor(admitted / DAY) == counters.day then counters.count = counters.count - 1 end
          break
        end
      end
      return reply(0, write(counters))
    end)`),
  /** counters, the id of the merge; time or '', '', day and count and times of requests → [[0, time, counters]] */
  mergeCounters: script(`${COUNTERS}
    local counters = read(KEYS[1])
    if redis.call('SET', KEYS[2], '', 'NX', 'PX', DAY) then
      if tonumber(ARGV[3]) == today then counters.count = counters.count + ARGV[4] end
      for index = 5, #ARGV do
        local time = tonumber(ARGV[index])
        if now - time < MINUTE then counters.times[#counters.times + 1] = math.min(time, now) end
      end
      table.sort(counters.times)
    end
    return {reply(0, write(counters))}`),
  /** counters…; time or '', '' → [[0, time, counters], …] */
  readCounters: script(`${COUNTERS} return each(function (name) return reply(0, describe(read(name))) end)`),
} as const satisfies Record<string, Script>;
