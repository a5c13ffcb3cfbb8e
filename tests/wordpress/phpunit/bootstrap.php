<?php

/**
 * Loads the WordPress that tests/wordpress/up.sh brought up: TOOLWIRE_SITE is its folder.
 */

declare(strict_types=1);

$site = getenv('TOOLWIRE_SITE');
// The tests of a host that only reads are in another folder, and want no extension.
$reads = getenv('TOOLWIRE_READS') !== false;
if (extension_loaded('toolwire') === $reads || $site === false || !is_file("$site/wp-load.php")) {
    fwrite(
        STDERR,
        "Run `make test-wordpress`: the extension and a site in TOOLWIRE_SITE are needed.\n"
    );
    exit(1);
}
$_SERVER += [
    'REQUEST_URI' => '/', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET',
    'REMOTE_ADDR' => '127.0.0.1',
];
// Tests over HTTP may have left the assistant of the tests turned off.
$GLOBALS['wp_filter']['pre_option_test_no_assistant'][10][] = [
    'function' => static fn (): string => '',
    'accepted_args' => 0,
];
// PHPUnit makes globals of a bootstrap's variables. Variables of WordPress' files must not replace
// PHPUnit's own.
(static function (string $site): void {
    require "$site/wp-load.php";
})($site);
// The server of the plugin MCP Adapter needs abilities of its own, which WordPress registers once in
// a request. A process of tests is many requests.
add_filter('mcp_adapter_create_default_server', '__return_false');
require __DIR__ . '/SiteTestCase.php';
require __DIR__ . '/GateTestCase.php';
require __DIR__ . '/ConversationTestCase.php';
