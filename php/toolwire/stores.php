<?php

/** Loads the stores on servers, for a program without Composer. */

declare(strict_types=1);

require_once __DIR__ . '/src/Store/Failure.php';
require_once __DIR__ . '/src/Store/Key.php';
require_once __DIR__ . '/src/Store/PdoDialect.php';
require_once __DIR__ . '/src/Store/PdoConnection.php';
require_once __DIR__ . '/src/Store/Pdo.php';
require_once __DIR__ . '/src/Store/RedisFault.php';
require_once __DIR__ . '/src/Store/RedisConnection.php';
require_once __DIR__ . '/src/Store/Redis.php';
