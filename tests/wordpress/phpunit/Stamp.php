<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Ability;

/** An ability whose class does the work, without a callback. */
final class Stamp extends WP_Ability
{
    /** @var list<string> */
    public static array $stamped = [];

    protected function do_execute($input = null)
    {
        self::$stamped[] = $input['text'];
        return ['stamped' => $input['text']];
    }
}
