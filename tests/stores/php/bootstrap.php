<?php

declare(strict_types=1);

require __DIR__ . '/../../php/bootstrap.php';
require __DIR__ . '/../../../php/toolwire/stores.php';
require __DIR__ . '/Servers.php';
require __DIR__ . '/Stores.php';
require __DIR__ . '/ServerStoreTestCase.php';
require __DIR__ . '/Tampering.php';
require __DIR__ . '/CountingStore.php';
require __DIR__ . '/CountingBatches.php';
