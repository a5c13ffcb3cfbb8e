<?php

declare(strict_types=1);

if (!extension_loaded('toolwire')) {
    fwrite(
        STDERR,
        "The extension toolwire is not loaded. Build it with `make build`, then run\n"
            . "    php -d extension=\$PWD/build/toolwire.so \$(which phpunit) -c "
            . "tests/php/phpunit.xml\n"
    );
    exit(1);
}

require __DIR__ . '/Cases.php';
require __DIR__ . '/DetectionCase.php';
require __DIR__ . '/DiffCase.php';
require __DIR__ . '/ProviderCase.php';
require __DIR__ . '/RenderCase.php';
require __DIR__ . '/RequestsCase.php';
require __DIR__ . '/RunsCase.php';
require __DIR__ . '/ArrayStore.php';
require __DIR__ . '/StoreCase.php';
require __DIR__ . '/ToolsCase.php';
require __DIR__ . '/TranscriptCase.php';
require __DIR__ . '/Description.php';
require __DIR__ . '/Records.php';
require __DIR__ . '/ToolsApprovalTestCase.php';
require __DIR__ . '/ToolsRunTestCase.php';
require __DIR__ . '/ToolsStoreTestCase.php';
