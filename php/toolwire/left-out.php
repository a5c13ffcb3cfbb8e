<?php

/**
 * Loads what the namespace `Toolwire\Tools` has in PHP code: stores on servers, listeners. They
 * need the extension; where it is not loaded, a class of it is an exception that names it.
 */

declare(strict_types=1);

if (!extension_loaded('toolwire')) {
    spl_autoload_register(['Toolwire\\Plain\\LeftOut', 'autoload']);
    return;
}

spl_autoload_register(static function (string $class): void {
    if (preg_match('/^Toolwire\\\\Tools\\\\(Store|Events)\\\\(\w+)$/D', $class, $found) === 1) {
        $file = __DIR__ . "/src/$found[1]/$found[2].php";
        if (is_file($file)) {
            require_once $file;
        }
    }
});
