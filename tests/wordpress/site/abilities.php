<?php

/**
 * Abilities for the tests.
 */

declare(strict_types=1);

require_once __DIR__ . '/toolwire-tests/wp-abilities.php';

add_action('wp_abilities_api_categories_init', static function (): void {
    wp_register_ability_category('tests', ['label' => 'Tests', 'description' => 'For the tests.']);
});
add_action('wp_abilities_api_init', static function (): void {
    $schema = ['type' => 'object', 'properties' => [
        'text' => ['type' => 'string', 'required' => true],
        'list' => [
            'type' => 'array',
            'items' => [
                'type' => 'object',
                'properties' => ['n' => ['type' => 'integer', 'required' => true]],
            ],
        ],
    ]];
    $reads = ['annotations' => ['readonly' => true], 'show_in_rest' => true];
    foreach ([
        'shop/read' => ['meta' => $reads, 'input_schema' => $schema],
        'shop/write' => [
            'meta' => ['annotations' => ['readonly' => false]] + $reads,
            'input_schema' => $schema,
        ],
        'shop/paint' => ['meta' => $reads, 'input_schema' => ['type' => 'object', 'properties' => [
            'text' => ['type' => 'string', 'required' => true],
            'color' => ['type' => 'string', 'format' => 'hex-color'],
        ]]],
        'shop/none' => ['meta' => $reads],
        'shop/hidden' => ['meta' => ['show_in_rest' => false] + $reads],
        'shop/sell' => [
            'meta' => ['show_in_rest' => true, 'mcp' => ['public' => true]],
            'input_schema' => $schema,
            'execute_callback' => static function ($input) {
                global $wpdb;
                $wpdb->query(
                    "INSERT INTO $wpdb->options (option_name, option_value, autoload) "
                        . "VALUES ('test_count', 1, 'no') "
                        . 'ON DUPLICATE KEY UPDATE option_value = option_value + 1'
                );
                if ($input['text'] === 'exit' && !get_option('test_stays')) {
                    exit;
                }
                return ['sold' => $input['text'], 'by' => get_current_user_id()];
            },
        ],
    ] as $name => $args) {
        wp_register_ability($name, $args + [
            'label' => $name, 'description' => "Does $name.", 'category' => 'tests',
            'execute_callback' => static fn ($input = null) => ['got' => $input],
            // Like most abilities, it trusts that its input fits the schema.
            'permission_callback' => static fn ($input = null) => match (true) {
                !current_user_can('edit_posts') => false,
                $input !== null
                    && trim($input['text']) === 'forbidden' => new WP_Error('no', 'Not this one.'),
                default => true,
            },
        ]);
    }
});
