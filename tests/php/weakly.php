<?php

/** Not strict: an object with `__toString()` goes as a string here. */

return static fn (object $text): object => new Toolwire\ToolResult($text, true, null);
