<?php

declare(strict_types=1);

namespace Toolwire\Plain;

/** A range of bytes in a text: its first byte, and the one behind its last. */
final class Span
{
    /** @var int */
    public $start;

    /** @var int */
    public $end;

    public function __construct(int $start, int $end)
    {
        $this->start = $start;
        $this->end = max($start, $end);
    }

    /** @param array{start: int, end: int} $properties */
    public static function __set_state(array $properties): self
    {
        return new self($properties['start'], $properties['end']);
    }

    public function length(): int
    {
        return $this->end - $this->start;
    }

    /** The covered part of a text; empty when the span does not lie in it. */
    public function of(string $text): string
    {
        return $this->end > strlen($text) ? '' : substr($text, $this->start, $this->length());
    }

    /** @return array{start: int, end: int} */
    public function toArray(): array
    {
        return ['start' => $this->start, 'end' => $this->end];
    }

    /**
     * What is left without those of `$holes` that stand inside; they are in order.
     *
     * @param list<self> $holes
     * @return list<self>
     */
    public function without(array $holes): array
    {
        [$parts, $start] = [[], $this->start];
        foreach ($holes as $hole) {
            if ($hole->start < $this->start) {
                continue;
            }
            if ($hole->end > $this->end) {
                break;
            }
            $parts[] = new self($start, $hole->start);
            $start = max($start, $hole->end);
        }
        $parts[] = new self($start, $this->end);
        return array_values(array_filter($parts, static function (self $part): bool {
            return $part->length() > 0;
        }));
    }
}
