<?php

/** Constructs without strict types: an object with `__toString()` passes as a string. */

return static fn (object $text): object => new Toolwire\ToolResult($text, true, null);
