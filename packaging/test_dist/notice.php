<?php

/**
 * Prints the file that the plugin asks for where the extension is missing.
 *
 * usage: php -n notice.php FOLDER VERSION     FOLDER is that of the plugin
 */

declare(strict_types=1);

require $argv[1] . '/includes/class-extension-file.php';

echo Toolwire\WordPress\Extension_File::of_this_php()->name($argv[2]), "\n";
