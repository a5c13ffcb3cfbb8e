-- The store on Redis: reads and changes entries. The wheel and the Composer package both hold this
-- file, so that programs in Python and in PHP share a store.
--
-- An entry is one field of a hash, KEYS[1]: its version, its expiry as 20 digits or nothing, its
-- bytes. Beside it stand the keys in their order, KEYS[2]; what expires in the order of the times,
-- KEYS[3]; and the last version, KEYS[4]. Only the entry itself says when it expires: a purge
-- compares it with what stands beside. A version is the server's microsecond, or the one after the
-- last version: so it does not repeat even if the server loses its last changes.
--
-- ARGV[1] is the time of the caller as 20 digits. Behind it stand changes, each a word and what
-- belongs to it. They are made in their order, up to a put whose condition is not met. The answers
-- are a list: the version of a put or nothing, 1 or 0 for a delete, a number for a purge.
--
--   put KEY VALUE EXPECT EXPIRES    EXPECT is any, absent or a version
--   delete KEY EXPECT
--   purge PREFIX LIMIT              at most LIMIT entries; all of them, if it is empty
--
-- Or it reads: scan START END LIMIT gives a list of keys and entries.

local now = ARGV[1]

local function put(key, value, expect, ends)
  local held = redis.call('HGET', KEYS[1], key)
  local version, expires
  if held then
    version, expires = string.match(held, '^([1-9]%d*):(%d*):')
    local whole = version and tonumber(version) < 9007199254740991
    whole = whole and (expires == '' or #expires == 20)
    if not whole then return redis.error_reply('CORRUPT') end
  end
  local live = held and (expires == '' or now <= expires)
  if expect == 'absent' then
    if live then return false end
  elseif expect ~= 'any' and not (live and version == expect) then
    return false
  end
  local time = redis.call('TIME')
  local new = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local last = tonumber(redis.call('GET', KEYS[4]) or '0')
  local counts = last and last >= 0 and last < 9007199254740991
  if not counts then return redis.error_reply('CORRUPT') end
  if version and tonumber(version) > last then last = tonumber(version) end
  if last >= new then new = last + 1 end
  new = string.format('%.0f', new)
  redis.call('SET', KEYS[4], new)
  redis.call('HSET', KEYS[1], key, new .. ':' .. ends .. ':' .. value)
  redis.call('ZADD', KEYS[2], 0, key)
  if held and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. key) end
  if ends ~= '' then redis.call('ZADD', KEYS[3], 0, ends .. ':' .. key) end
  return new
end

local function delete(key, expect)
  local held = redis.call('HGET', KEYS[1], key)
  if not held then return 0 end
  local version, expires = string.match(held, '^(%d+):(%d*):')
  if not version and expect ~= 'any' then return redis.error_reply('CORRUPT') end
  local live = version and (expires == '' or now <= expires)
  if expect ~= 'any' and not (live and version == expect) then return 0 end
  redis.call('HDEL', KEYS[1], key)
  redis.call('ZREM', KEYS[2], key)
  if version and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. key) end
  return live and 1 or 0
end

local function purge(prefix, limit)
  local count, start, most = 0, '-', tonumber(limit)
  while true do
    local page = redis.call('ZRANGEBYLEX', KEYS[3], start, '(' .. now, 'LIMIT', 0, 256)
    for _, member in ipairs(page) do
      if most and count >= most then return count end
      local key = string.sub(member, 22)
      if string.sub(key, 1, #prefix) == prefix then
        local held = redis.call('HGET', KEYS[1], key)
        local expires = held and string.match(held, '^%d+:(%d*):')
        if expires and expires == string.sub(member, 1, 20) then
          redis.call('HDEL', KEYS[1], key)
          redis.call('ZREM', KEYS[2], key)
          count = count + 1
        end
        redis.call('ZREM', KEYS[3], member)
      end
    end
    if #page < 256 then return count end
    start = '(' .. page[#page]
  end
end

local function scan(start, last, limit)
  local found, most = {}, tonumber(limit)
  while true do
    local page = redis.call('ZRANGEBYLEX', KEYS[2], start, last, 'LIMIT', 0, 256)
    for _, key in ipairs(page) do
      local held = redis.call('HGET', KEYS[1], key)
      local expires = held and string.match(held, '^%d+:(%d*):')
      if held and not expires then return redis.error_reply('CORRUPT') end
      if held and (expires == '' or now <= expires) then
        found[#found + 1] = key
        found[#found + 1] = held
        if #found >= most * 2 then return found end
      end
    end
    if #page < 256 then return found end
    start = '(' .. page[#page]
  end
end

if ARGV[2] == 'scan' then return scan(ARGV[3], ARGV[4], ARGV[5]) end

local answers, at = {}, 2
while at <= #ARGV do
  local what, answer = ARGV[at], nil
  if what == 'put' then
    answer, at = put(ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]), at + 5
  elseif what == 'delete' then
    answer, at = delete(ARGV[at + 1], ARGV[at + 2]), at + 3
  else
    answer, at = purge(ARGV[at + 1], ARGV[at + 2]), at + 3
  end
  -- An entry that no store wrote ends the batch; what was changed before it stays changed.
  if type(answer) == 'table' then return answer end
  answers[#answers + 1] = answer
  if answer == false then return answers end
end
return answers
