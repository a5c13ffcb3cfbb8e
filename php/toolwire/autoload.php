<?php

/**
 * Loads the library for a program without Composer: `require 'toolwire/autoload.php';`.
 *
 * Where the extension is loaded, its classes are there already, and none of these files is read.
 */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (strncmp($class, 'Toolwire\\', 9) !== 0) {
        return;
    }
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, 9)) . '.php';
    if (is_file($file)) {
        require_once $file;
    }
});

require_once __DIR__ . '/left-out.php';
