<?php

/** Uses every class a little, as MemoryTest does; `threads` runs it in many threads at once. */

ob_start();
require __DIR__ . '/../php/valgrind.php';
$printed = ob_get_clean();
echo $printed === "done\n" ? 'ok ' : 'not ', $printed;
