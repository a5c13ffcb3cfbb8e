<?php

declare(strict_types=1);

namespace Toolwire\Tools\Store;

/**
 * The scripts of the store on Redis. Those of Python's `RedisStore` are the same, so that programs
 * in both languages share a store.
 *
 * An entry is one field of a hash: its version, its expiry as 20 digits or nothing, its bytes.
 * Beside it stand the keys in their order, what expires in the order of the times, and the last
 * version. Only the entry itself says when it expires: a purge compares it with what stands beside.
 * A version is the server's microsecond, or the one after the last version: so it does not repeat
 * even if the server loses its last changes.
 */
final class RedisScripts
{
    public const PUT = <<<'LUA'
        local held = redis.call('HGET', KEYS[1], ARGV[1])
        local version, expires
        if held then
          version, expires = string.match(held, '^([1-9]%d*):(%d*):')
          local whole = version and tonumber(version) < 9007199254740991
          whole = whole and (expires == '' or #expires == 20)
          if not whole then return redis.error_reply('CORRUPT') end
        end
        local live = held and (expires == '' or ARGV[5] <= expires)
        if ARGV[3] == 'absent' then
          if live then return false end
        elseif ARGV[3] ~= 'any' and not (live and version == ARGV[3]) then
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
        redis.call('HSET', KEYS[1], ARGV[1], new .. ':' .. ARGV[4] .. ':' .. ARGV[2])
        redis.call('ZADD', KEYS[2], 0, ARGV[1])
        if held and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. ARGV[1]) end
        if ARGV[4] ~= '' then redis.call('ZADD', KEYS[3], 0, ARGV[4] .. ':' .. ARGV[1]) end
        return new
        LUA;

    public const DELETE = <<<'LUA'
        local held = redis.call('HGET', KEYS[1], ARGV[1])
        if not held then return 0 end
        local version, expires = string.match(held, '^(%d+):(%d*):')
        if not version and ARGV[2] ~= 'any' then return redis.error_reply('CORRUPT') end
        local live = version and (expires == '' or ARGV[3] <= expires)
        if ARGV[2] ~= 'any' and not (live and version == ARGV[2]) then return 0 end
        redis.call('HDEL', KEYS[1], ARGV[1])
        redis.call('ZREM', KEYS[2], ARGV[1])
        if version and expires ~= '' then redis.call('ZREM', KEYS[3], expires .. ':' .. ARGV[1]) end
        return live and 1 or 0
        LUA;

    public const SCAN = <<<'LUA'
        local found, start, limit = {}, ARGV[1], tonumber(ARGV[3])
        while true do
          local page = redis.call('ZRANGEBYLEX', KEYS[2], start, ARGV[2], 'LIMIT', 0, 256)
          for _, key in ipairs(page) do
            local held = redis.call('HGET', KEYS[1], key)
            local expires = held and string.match(held, '^%d+:(%d*):')
            if held and not expires then return redis.error_reply('CORRUPT') end
            if held and (expires == '' or ARGV[4] <= expires) then
              found[#found + 1] = key
              found[#found + 1] = held
              if #found >= limit * 2 then return found end
            end
          end
          if #page < 256 then return found end
          start = '(' .. page[#page]
        end
        LUA;

    public const PURGE = <<<'LUA'
        local count, start = 0, '-'
        while true do
          local page = redis.call('ZRANGEBYLEX', KEYS[3], start, '(' .. ARGV[2], 'LIMIT', 0, 256)
          for _, member in ipairs(page) do
            local key = string.sub(member, 22)
            if string.sub(key, 1, #ARGV[1]) == ARGV[1] then
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
        LUA;
}
