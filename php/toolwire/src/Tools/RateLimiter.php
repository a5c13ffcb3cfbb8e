<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\Agent\Conversations;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Unsaved;

/**
 * Limits the calls in a period, for each tool and caller, by the generic cell rate algorithm.
 *
 * The store keeps the moment until which the calls made so far are paid for: microseconds, and
 * parts of one. It stands beside that of the extension, whose number needs more than 64 bits.
 */
final class RateLimiter
{
    use Unsaved;

    private const TRIES = 100;

    /** @var Store */
    private $store;

    /** @var int */
    private $count;

    /** @var int microseconds */
    private $period;

    public function __construct(Store $store, int $count, float $seconds)
    {
        $period = $seconds * 1000000;
        if ($count < 1 || $count > 0xFFFFFFFF || !($period >= 1) || $period > PHP_INT_MAX / 2) {
            $message = "a rate limit needs a count and a period above 0, not $count and $seconds";
            throw Misuse::of('invalid_option', $message);
        }
        $this->store = $store;
        $this->count = $count;
        $this->period = (int) round($period);
    }

    /** @return array{allowed: bool, remaining: int, retry_after: float} */
    public function check(string $tool, string $caller = ''): array
    {
        $place = Conversations::key('limit', 'plain', $tool, $caller);
        for ($try = 0; $try < self::TRIES; $try++) {
            $now = Conversations::now();
            $entry = $this->store->get($place, $now);
            [$answer, $paid] = $this->charged($this->paid($entry), $now);
            if (!$answer['allowed']) {
                return $answer;
            }
            $account = ['micros' => $paid[0], 'parts' => $paid[1], 'count' => $this->count];
            $value = Plain::line((object) $account);
            $version = $entry['version'] ?? 0;
            if ($this->store->put($place, $value, $version, $paid[0] + 1, $now) !== null) {
                return $answer;
            }
        }
        // Others count all the time, so they are too many.
        return ['allowed' => false, 'remaining' => 0, 'retry_after' => 1.0];
    }

    /**
     * @param array{value: string, version: int, expires_at: ?int}|null $entry
     * @return array{int, int}|null microseconds, and how many of `count` parts of the next one
     */
    private function paid(?array $entry): ?array
    {
        $account = $entry === null ? null : Plain::read($entry['value'])[0] ?? null;
        if (!is_int($account->micros ?? null) || !is_int($account->parts ?? null)) {
            return null;
        }
        // Parts of another number are rounded up.
        return $account->count === $this->count
            ? [$account->micros, $account->parts]
            : [$account->micros + ($account->parts > 0 ? 1 : 0), 0];
    }

    /**
     * @param array{int, int}|null $paid
     * @return array{array{allowed: bool, remaining: int, retry_after: float}, array{int, int}}
     */
    private function charged(?array $paid, int $now): array
    {
        $latest = [$now + $this->period, 0];
        $before = $paid === null ? [$now, 0] : min(max($paid, [$now, 0]), $latest);
        $parts = $before[1] + $this->period % $this->count;
        $after = [
            $before[0] + intdiv($this->period, $this->count) + intdiv($parts, $this->count),
            $parts % $this->count,
        ];
        if ($after > $latest) {
            $wait = $after[0] - $latest[0] + ($after[1] > 0 ? 1 : 0);
            $limited = ['allowed' => false, 'remaining' => 0, 'retry_after' => $wait / 1000000];
            return [$limited, $before];
        }
        $left = ($latest[0] - $after[0]) - $after[1] / $this->count;
        $remaining = (int) floor($left / $this->period * $this->count + 1e-9);
        return [['allowed' => true, 'remaining' => $remaining, 'retry_after' => 0.0], $after];
    }
}
