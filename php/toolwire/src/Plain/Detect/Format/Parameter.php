<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/** How one tagged parameter is written. */
final class Parameter
{
    /** @var list<Marker> */
    public $open;

    /** @var NamePlace */
    public $key;

    /** @var string|null the attribute that gives the type */
    public $typeAttribute;

    /** @var list<Marker> the markers that end the opening */
    public $keyEnd;

    /** @var list<Marker> */
    public $close;

    /** @var bool whether a line break behind the opening is markup, and then one before the end */
    public $trimLines;

    /** @var bool whether elements in a value are read as objects and arrays */
    public $nested;

    /** @var list<string> the tags of which the markers of a call are made */
    public $pieces = [];

    /** @param array<string, mixed> $definition empty for a format that has no parameters */
    public function __construct(array $definition)
    {
        $this->open = Marker::all($definition['open'] ?? []);
        $this->key = NamePlace::of($definition);
        $this->typeAttribute = $definition['type_attribute'] ?? null;
        $this->keyEnd = Marker::all($definition['key_end'] ?? []);
        $this->close = Marker::all($definition['close'] ?? []);
        $this->trimLines = $definition['trim_lines'] ?? false;
        $this->nested = $definition['nested'] ?? false;
    }

    /** Whether elements in a value have a name and a type as the parameter has. */
    public function hasTypedElements(): bool
    {
        return $this->nested && $this->typeAttribute !== null;
    }

    /** Finds the tags of the markers. A tag that is a whole marker is none. */
    public function findPieces(CallShape $call): void
    {
        $tags = $whole = [];
        foreach ([$call->open, $call->close, $this->open, $this->keyEnd, $this->close] as $group) {
            foreach ($group as $marker) {
                $tags = array_merge($tags, $marker->tags());
            }
        }
        foreach (array_merge($call->open, $call->close, $this->close) as $marker) {
            $whole[] = $marker->lead;
        }
        $tags = array_unique(array_diff($tags, $whole));
        sort($tags, SORT_STRING);
        $this->pieces = $tags;
    }
}
