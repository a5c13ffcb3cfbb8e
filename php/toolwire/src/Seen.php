<?php

declare(strict_types=1);

namespace Toolwire;

use Countable;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Unsaved;
use Toolwire\Plain\Utf8;

/** Remembers calls that were detected, for all detectors that share it. */
final class Seen implements Countable
{
    use Unsaved;

    private const DEFAULT_CAPACITY = 65536;

    /** @var int */
    private $capacity;

    /** @var array<array-key, true> fingerprints, the oldest first */
    private $known = [];

    /** @param int|null $capacity how many calls it holds; full, it forgets the oldest */
    public function __construct(?int $capacity = null)
    {
        if ($capacity !== null && $capacity < 1) {
            $message = "capacity must be at least 1, got $capacity";
            throw Misuse::of('invalid_option', $message);
        }
        $this->capacity = $capacity ?? self::DEFAULT_CAPACITY;
    }

    /** The number of calls in it. */
    public function count(): int
    {
        return count($this->known);
    }

    /** Whether a call with this id is in it. */
    public function containsId(?string $id): bool
    {
        return isset($this->known[self::fingerprint(Utf8::lossy((string) $id), '')]);
    }

    /** Forgets every call. */
    public function clear(): void
    {
        $this->known = [];
    }

    /**
     * Adds a call; false if it is in it already.
     *
     * @internal for the detector
     */
    public function insert(?string $givenId, string $original): bool
    {
        $call = self::fingerprint($givenId, $original);
        if (isset($this->known[$call])) {
            return false;
        }
        if (count($this->known) >= $this->capacity) {
            reset($this->known);
            unset($this->known[key($this->known)]);
        }
        $this->known[$call] = true;
        return true;
    }

    private static function fingerprint(?string $givenId, string $original): string
    {
        return hash('sha256', $givenId === null ? "text:$original" : "id:$givenId");
    }
}
