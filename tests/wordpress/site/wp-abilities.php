<?php

/**
 * Stands in for the abilities of WordPress 6.9 where WordPress is older: the functions and methods
 * that a plugin uses, with what its documentation says of them.
 */

declare(strict_types=1);

if (!class_exists('WP_Ability')) {
    class WP_Ability
    {
        /** @param array<string, mixed> $args */
        public function __construct(private string $name, private array $args)
        {
        }

        public function get_name(): string
        {
            return $this->name;
        }

        public function get_category(): string
        {
            return $this->args['category'];
        }

        public function get_description(): string
        {
            return $this->args['description'];
        }

        public function get_input_schema(): array
        {
            return $this->args['input_schema'] ?? [];
        }

        public function get_meta(): array
        {
            return $this->args['meta'] ?? [];
        }

        public function normalize_input($input = null)
        {
            return $input ?? $this->get_input_schema()['default'] ?? null;
        }

        public function validate_input($input = null)
        {
            $schema = $this->get_input_schema();
            $valid = $schema ? rest_validate_value_from_schema($input, $schema, 'input') : true;
            return is_wp_error($valid)
                ? new WP_Error('ability_invalid_input', $valid->get_error_message())
                : true;
        }

        public function check_permissions($input = null)
        {
            return ($this->args['permission_callback'])($input);
        }

        public function execute($input = null)
        {
            $input = $this->normalize_input($input);
            $valid = $this->validate_input($input);
            if (is_wp_error($valid)) {
                return $valid;
            }
            if (true !== $this->check_permissions($input)) {
                return new WP_Error('ability_invalid_permissions', 'Not allowed.');
            }
            $given = $this->get_input_schema() ? [$input] : [];
            return ($this->args['execute_callback'])(...$given);
        }
    }

    function wp_register_ability_category(string $slug, array $args): void
    {
    }

    /** @param array<string, mixed> $args */
    function wp_register_ability(string $name, array $args): WP_Ability
    {
        $args = apply_filters('wp_register_ability_args', $args, $name);
        return $GLOBALS['abilities'][$name] = new WP_Ability($name, $args);
    }

    /** @return array<string, WP_Ability> */
    function wp_get_abilities(): array
    {
        if (!isset($GLOBALS['abilities'])) {
            $GLOBALS['abilities'] = [];
            do_action('wp_abilities_api_categories_init');
            do_action('wp_abilities_api_init');
        }
        return $GLOBALS['abilities'];
    }

    function wp_has_ability(string $name): bool
    {
        return isset(wp_get_abilities()[$name]);
    }

    function wp_get_ability(string $name): ?WP_Ability
    {
        return wp_get_abilities()[$name] ?? null;
    }
}
