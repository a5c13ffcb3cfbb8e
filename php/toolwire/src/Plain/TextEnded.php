<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Exception;

/** The text ends inside what is being read, so that more of it would decide. */
final class TextEnded extends Exception
{
}
