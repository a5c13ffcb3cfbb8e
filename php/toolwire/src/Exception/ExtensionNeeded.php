<?php

declare(strict_types=1);

namespace Toolwire\Exception;

use LogicException;

/** A part of Toolwire was used that only the extension has; see `Toolwire\Plain\LeftOut`. */
final class ExtensionNeeded extends LogicException implements ToolwireThrowable
{
    public function getKind(): string
    {
        return 'extension_needed';
    }
}
