-- Requests the addresses in a file, one a line, one after the other from a given line on, and prints the outcome as a line of JSON.
-- An address may be followed by a tab and the key that the request has, and by another tab and the body of a POST. "~n~" in the line becomes the number of the request.
-- Arguments: the file, the number of the first request (from 0), and header lines.
local paths, at = {}, 0

function init(args)
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
  at = tonumber(args[2])
  for index = 3, #args do
    local name, value = args[index]:match("^(.-): (.*)$")
    wrk.headers[name] = value
  end
end

function request()
  at = at + 1
  local line = paths[(at - 1) % #paths + 1]:gsub("~n~", string.format("%07d", at))
  local tab = line:find("\t", 1, true)
  if not tab then return wrk.format("GET", line) end
  local key, body = line:match("^([^\t]*)\t?(.*)$", tab + 1)
  if key ~= "" then wrk.headers["X-API-Key"] = key end
  if body == "" then return wrk.format("GET", line:sub(1, tab - 1)) end
  return wrk.format("POST", line:sub(1, tab - 1), nil, body)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"bytes":%d,"p99":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
