<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use Throwable;

/** What every exception of this library implements; its code is the number of its kind. */
interface ToolwireThrowable extends Throwable
{
    /** The slug of the kind, as `unknown_format`; empty for an exception that PHP code made. */
    public function getKind(): string;
}
