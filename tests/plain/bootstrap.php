<?php

/** What every test of the library in plain PHP needs: no extension, and no warning unseen. */

declare(strict_types=1);

if (extension_loaded('toolwire')) {
    fwrite(STDERR, "The extension toolwire is loaded. Run the tests with `php -n`.\n");
    exit(1);
}

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    throw new ErrorException($message, 0, $level, $file, $line);
});

// A library that is installed elsewhere is tested where TOOLWIRE_LIBRARY names its autoloader.
require_once getenv('TOOLWIRE_LIBRARY') ?: __DIR__ . '/../../php/toolwire/autoload.php';
