<?php

/** Uses every class a little, as MemoryTest does under valgrind; `threads` runs it in many threads. */

ob_start();
require __DIR__ . '/../php/valgrind.php';
$printed = ob_get_clean();
echo $printed === "done\n" ? 'ok ' : 'not ', $printed;
