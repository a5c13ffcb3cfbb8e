<?php

/**
 * Lets the sites of a network have a port in their address, as the tests need. WordPress 6.1
 * removes the colon.
 */

declare(strict_types=1);

add_filter('wp_normalize_site_data', static function (array $data): array {
    return isset($data['domain']) ? ['domain' => DOMAIN_CURRENT_SITE] + $data : $data;
}, 20);
