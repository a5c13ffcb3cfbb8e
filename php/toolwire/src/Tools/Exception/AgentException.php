<?php

declare(strict_types=1);

namespace Toolwire\Tools\Exception;

use RuntimeException;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Plain\OfKind;

/** An agent gave no answer; the conversation stands as before the step that failed. */
class AgentException extends RuntimeException implements ToolwireThrowable
{
    use OfKind;
}
