<?php

/**
 * Does what a web server does for WordPress: files are sent as they are, and index.php answers
 * everything else.
 */

declare(strict_types=1);

$root = $_SERVER['DOCUMENT_ROOT'];
$path = rawurldecode((string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
// The sites of a network share the files: /second/wp-admin/ is /wp-admin/ of the site /second/.
if (
    is_file("$root/../network")
    && preg_match(
        '~^/[a-z0-9-]+(/wp-(?:admin|content|includes)(?:/.*)?|/wp-[a-z-]+\.php)$~',
        $path,
        $found
    )
) {
    $file = realpath($root . (str_ends_with($found[1], '/') ? "$found[1]index.php" : $found[1]));
    if ($file !== false && is_file($file) && str_ends_with($file, '.php')) {
        $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = substr($file, strlen($root));
        $_SERVER['SCRIPT_FILENAME'] = $file;
        chdir(dirname($file));
        require $file;
        return true;
    }
    $path = $found[1];
}
// A browser caches scripts, styles and pictures: to load them for each page takes longer than the
// page.
$types = [
    'css' => 'text/css', 'js' => 'text/javascript', 'svg' => 'image/svg+xml', 'png' => 'image/png',
    'gif' => 'image/gif', 'jpg' => 'image/jpeg', 'woff' => 'font/woff', 'woff2' => 'font/woff2',
    'ttf' => 'font/ttf',
];
$type = $types[pathinfo($path, PATHINFO_EXTENSION)] ?? null;
if ($path === '/favicon.ico' || ($type !== null && is_file($root . $path))) {
    header('Cache-Control: max-age=3600');
    if ($type === null) {
        http_response_code(204);
        return true;
    }
    header("Content-Type: $type");
    return readfile($root . $path) !== false;
}
if (
    $path !== '/' && (is_file($root . $path) || is_file(rtrim($root . $path, '/') . '/index.php'))
) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
$_SERVER['SCRIPT_FILENAME'] = $root . '/index.php';
chdir($root);
require $root . '/index.php';
