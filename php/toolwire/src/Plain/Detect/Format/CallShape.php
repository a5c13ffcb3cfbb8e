<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/** The markers and the name around the arguments of one call. */
final class CallShape
{
    /** @var list<Marker> */
    public $open;

    /** @var list<Marker> the markers that open a call only where the message begins */
    public $openFirst;

    /** @var bool whether `open` too counts only there, and right behind such a call */
    public $onlyFirst = false;

    /** @var NamePlace */
    public $place;

    /** @var string text in front of the name that does not belong to it */
    public $prefix;

    /** @var bool whether `:` and a number may follow the name and make the whole the call's id */
    public $numbered;

    /** @var array<array-key, true> the names that open a call, where its tag is the tool's name */
    public $names;

    /** @var list<Marker> the markers between the name and the arguments */
    public $nameEnd;

    /** @var bool */
    public $nameEndOptional;

    /** @var list<Marker> */
    public $close;

    /** @var string what happens when the end is missing: required, lenient or optional */
    public $end;

    /** @var list<Marker> what begins a result behind a call, which only the program may write */
    public $turns;

    /** @param array<string, mixed> $definition */
    public function __construct(array $definition)
    {
        $this->open = Marker::all($definition['open'] ?? []);
        $this->openFirst = Marker::all($definition['open_first'] ?? []);
        $this->place = NamePlace::of($definition);
        $this->prefix = $definition['prefix'] ?? '';
        $this->numbered = $definition['numbered'] ?? false;
        $this->names = array_fill_keys((array) ($definition['names'] ?? []), true);
        $this->nameEnd = Marker::all($definition['name_end'] ?? []);
        $this->nameEndOptional = $definition['name_end_optional'] ?? false;
        $this->close = Marker::all($definition['close'] ?? []);
        $this->end = $definition['end'] ?? 'lenient';
        $this->turns = Marker::all($definition['turns'] ?? []);
    }

    /** @return list<Marker> the markers that open a call wherever one may stand */
    public function opensAnywhere(): array
    {
        return $this->onlyFirst ? [] : $this->open;
    }

    /** @return list<Marker> the markers that open a call only where the message begins */
    public function opensFirst(): array
    {
        return $this->onlyFirst ? $this->open : $this->openFirst;
    }

    public function isToolTag(): bool
    {
        return $this->place->kind === NamePlace::TAG;
    }

    /** Whether the arguments stand in a code fence. */
    public function isFenced(): bool
    {
        foreach ($this->nameEnd as $marker) {
            if (strncmp($marker->lead, '```', 3) === 0) {
                return true;
            }
        }
        return false;
    }
}
