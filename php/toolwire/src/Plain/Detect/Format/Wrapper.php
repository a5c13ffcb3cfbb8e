<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/** The markers around several calls. */
final class Wrapper
{
    /** @var list<Marker> */
    public $open;

    /** @var list<Marker> */
    public $close;

    /** @var string what happens when the end is missing: required, lenient or optional */
    public $end;

    /** @param array<string, mixed> $definition */
    public function __construct(array $definition)
    {
        $this->open = Marker::all($definition['open']);
        $this->close = Marker::all($definition['close'] ?? []);
        $this->end = $definition['end'] ?? 'lenient';
    }
}
