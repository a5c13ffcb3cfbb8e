<?php

/**
 * What a web server does for WordPress: files as they are, all else to index.php.
 */

declare(strict_types=1);

$root = $_SERVER['DOCUMENT_ROOT'];
$path = rawurldecode((string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if ($path !== '/' && (is_file($root . $path) || is_file(rtrim($root . $path, '/') . '/index.php'))) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . '/index.php';
chdir($root);
require $root . '/index.php';
