<?php

/**
 * A provider of WordPress' AI client (WordPress 7.0 and later), made as plugins make theirs. A test
 * names the address of its server in the option `test_ai_provider`.
 */

declare(strict_types=1);

use WordPress\AiClient\AiClient;
use WordPress\AiClient\Providers\Http\DTO\ApiKeyRequestAuthentication;

function_exists('wp_ai_client_prompt') && add_action('init', static function (): void {
    // A site may switch the AI client off.
    $off = (string) get_option('test_ai_off');
    $off === '' || add_filter($off, $off === 'wp_supports_ai' ? '__return_false' : '__return_true');
    $url = (string) get_option('test_ai_provider');
    if ($url === '') {
        return;
    }
    require_once __DIR__ . '/toolwire-tests/ai-classes.php';
    $registry = AiClient::defaultRegistry();
    $registry->registerProvider(ToolwireTests\AiProvider::class);
    $key = new ApiKeyRequestAuthentication('the key of the connector');
    $registry->setProviderRequestAuthentication(ToolwireTests\AiProvider::class, $key);
    // WordPress asks servers of the site itself at these ports alone.
    add_filter('http_allowed_safe_ports', static fn (array $ports): array => [
        ...$ports,
        (int) wp_parse_url($url, PHP_URL_PORT),
    ]);
    add_filter('http_request_host_is_external', '__return_true');
});
