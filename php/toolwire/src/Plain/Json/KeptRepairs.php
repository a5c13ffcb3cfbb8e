<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/**
 * Repairers that a limit has stopped, kept for the objects inside those that failed.
 *
 * A text may open object after object, each with something to repair: `{a:{a:{a:`. A repairer of
 * the first one reads up to the limit on repairs, and a new repairer of the next one would read
 * nearly all of this again. So the repairer of the first one is kept, and goes on for the next.
 */
final class KeptRepairs
{
    /** A bracket in a string of one object may open another object. */
    private const MOST_KEPT = 4;

    /** @var list<array{Repairer, int}> each with the place of the first fault in its object */
    private $kept = [];

    public function keep(Repairer $repairer, int $fault): void
    {
        if (count($this->kept) >= self::MOST_KEPT) {
            array_shift($this->kept);
        }
        $this->kept[] = [$repairer, $fault];
    }

    /** Whether the bracket at `$at` is known to be open in JSON that has a fault behind it. */
    public function hasFaultBehind(int $at): bool
    {
        foreach ($this->kept as [$repairer, $fault]) {
            if ($fault > $at && $repairer->hasOpen($at)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes out the repairer that has the object at `$at` open; it goes on from there.
     *
     * @return array{Repairer, int}|null
     */
    public function take(int $at): ?array
    {
        for ($place = count($this->kept) - 1; $place >= 0; $place--) {
            if ($this->kept[$place][0]->hasOpen($at)) {
                [$kept] = array_splice($this->kept, $place, 1);
                $kept[0]->beginAt($at);
                return $kept;
            }
        }
        return null;
    }
}
