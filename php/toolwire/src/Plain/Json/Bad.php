<?php

declare(strict_types=1);

namespace Toolwire\Plain\Json;

/** Why arguments are refused: the code of the rejection, the reason, the byte that decided. */
final class Bad
{
    /** @var string */
    public $code;

    /** @var int */
    public $at;

    /** @var string */
    public $reason;

    public function __construct(string $code, int $at, string $reason)
    {
        $this->code = $code;
        $this->at = $at;
        $this->reason = $reason;
    }

    /** The fault that the scanner found. */
    public static function fault(Scanner $scanner): self
    {
        return $scanner->tooDeep
            ? self::tooDeep($scanner->start)
            : new self(
                'bad_json',
                $scanner->start,
                "the arguments are not JSON: $scanner->fault"
            );
    }

    public static function tooDeep(int $at): self
    {
        return new self('too_deep', $at, 'the JSON nests deeper than max_depth');
    }

    public static function tooLarge(int $at): self
    {
        return new self('too_large', $at, 'the arguments exceed max_arguments');
    }

    public static function notAnObject(int $at): self
    {
        return new self('not_an_object', $at, 'the arguments are JSON, but not an object');
    }
}
