<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Format\Marker;

/** One way to write reasoning. */
final class ReasoningStyle
{
    /** @var string */
    public $name;

    /** @var list<Marker> */
    public $open;

    /** @var list<Marker> the markers that open it only where the message begins */
    public $openFirst;

    /** @var list<Marker> */
    public $close;

    /** @var list<Marker> the markers that end the reasoning but do not belong to it */
    public $endsAt;

    /**
     * @param array<string, mixed> $definition
     * @param list<Marker> $calls the markers of calls that end it too
     */
    public function __construct(string $name, array $definition, array $calls = [])
    {
        $this->name = $name;
        $this->open = Marker::all($definition['open']);
        $this->openFirst = Marker::all($definition['open_first'] ?? []);
        $this->close = Marker::all($definition['close']);
        $this->endsAt = array_merge(Marker::all($definition['ends_at'] ?? []), $calls);
    }

    /** Whether a marker opens this style that may open the other one too. */
    public function opensLike(self $other): bool
    {
        foreach ($this->open as $own) {
            foreach ($other->open as $marker) {
                if (strncmp($marker->lead, $own->lead, strlen($own->lead)) === 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** @return list<Marker> the markers that end it */
    public function ending(): array
    {
        return array_merge($this->close, $this->endsAt);
    }
}
