<?php

/** Where the extension is not loaded, a class that only it has is an exception that names it. */

declare(strict_types=1);

if (!extension_loaded('toolwire')) {
    spl_autoload_register(['Toolwire\\Plain\\LeftOut', 'autoload']);
}
