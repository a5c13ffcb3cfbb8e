<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use function Toolwire\WordPress\plugin;

/** Abilities as tools. */
final class AbilitiesTest extends SiteTestCase
{
    public function testAnAbilityIsATool(): void
    {
        foreach (['shop/read', 'wpab__shop__read'] as $name) {
            $row = self::call($name, '{"text":"a","list":[{"n":1}]}');
            self::assertSame(
                ['completed', '{"got":{"text":"a","list":[{"n":1}]}}'],
                [$row['state'], $row['result']]
            );
        }
        self::assertSame('{"got":null}', self::call('shop/none')['result']);
        self::assertSame('tool_not_found', self::call('shop/hidden')['error_code']);
    }

    public function testItsSchemaAndItsPermissionsCount(): void
    {
        self::assertSame('invalid_input', self::call('shop/read')['error_code']);
        self::assertSame(
            'invalid_input',
            self::call('shop/read', '{"text":"a","list":[{}]}')['error_code']
        );
        self::assertSame(
            'permission_denied',
            self::call('shop/read', '{"text":"forbidden"}')['error_code']
        );
        $this->as('subscriber');
        self::assertSame(
            'permission_denied',
            self::call('shop/read', '{"text":"a"}')['error_code']
        );
    }

    public function testInputThatWordPressAloneRefusesIsNotPermitted(): void
    {
        self::assertSame(
            'completed',
            self::call('shop/paint', '{"text":"a","color":"#ffffff"}')['state']
        );
        $row = self::call('shop/paint', '{"text":"a","color":"no colour"}');
        self::assertSame(['denied', 'permission_denied'], [$row['state'], $row['error_code']]);
        self::assertStringContainsString('color', $row['error']);
    }

    public function testOneThatMayWriteNeedsApproval(): void
    {
        $row = self::call('shop/write', '{"text":"a"}');
        self::assertSame('waiting', $row['state']);
        self::assertSame('completed', self::decide($row, true)['state']);
    }

    public function testTheOwnerMayTurnThemOff(): void
    {
        $this->settings(['abilities' => false]);
        self::assertSame('tool_not_found', self::call('shop/read', '{"text":"a"}')['error_code']);
    }

    public function testThoseOfWordPressAreTools(): void
    {
        if (!wp_get_ability('core/get-site-info')) {
            self::assertTrue(version_compare($GLOBALS['wp_version'], '6.9', '<'));
            return;
        }
        $row = self::call('core/get-site-info', '{"fields":["name"]}');
        self::assertSame(
            ['completed', wp_json_encode(['name' => get_bloginfo('name')])],
            [$row['state'], $row['result']]
        );
        self::assertSame(
            'invalid_input',
            self::call('wpab__core__get-site-info', '{"fields":["password"]}')['error_code']
        );
        $this->as('editor');
        self::assertSame('permission_denied', self::call('core/get-site-info')['error_code']);
    }

    /**
     * Registers a tool for an ability that is made here: WordPress registers abilities once in a
     * process.
     *
     * @param array<string, mixed> $arguments
     */
    private function ability(array $arguments): void
    {
        static $number = 0;
        $name = 'shop/made-' . ++$number;
        $arguments += [
            'label' => 'L', 'description' => 'D', 'category' => 'tests',
            'execute_callback' => static fn ($input = null) => ['in' => $input],
            'permission_callback' => '__return_true',
            'meta' => ['show_in_rest' => true, 'annotations' => ['readonly' => true]],
        ];
        if (!class_exists('WP_Abilities_Registry')) {
            wp_register_ability($name, $arguments);
        } else {
            \WP_Abilities_Registry::get_instance()->register($name, $arguments);
        }
        $this->made = $name;
        plugin()->engines()->reset();
    }

    private string $made = '';

    public function testATextADateAListAndANumberAreInputs(): void
    {
        foreach ([
            ['type' => 'string', 'minLength' => 1], ['type' => 'string', 'format' => 'date-time'],
            ['type' => 'array', 'items' => ['type' => 'integer']], ['type' => 'integer'],
            ['enum' => ['2026-01-31'], 'type' => ['string', 'null']],
            ['anyOf' => [['type' => 'string'], ['type' => 'integer']]],
        ] as $number => $schema) {
            $input = ['"a text"', '"2026-01-31T10:00:00Z"', '[1,2]', '5', '"2026-01-31"', '"x"'][$number];
            $this->ability(['input_schema' => $schema]);
            $row = self::call($this->made, "{\"input\":$input}");
            self::assertSame(
                ['completed', "{\"in\":$input}"],
                [$row['state'], $row['result']],
                (string) $row['error']
            );
            self::assertSame('invalid_input', self::call($this->made)['error_code']);
            self::assertSame('invalid_input', self::call($this->made, '{"input":{}}')['error_code']);
        }
    }

    public function testADefaultStandsForNoInput(): void
    {
        $this->ability(['input_schema' => ['type' => 'string', 'default' => 'today']]);
        self::assertSame('{"in":"today"}', self::call($this->made)['result']);
        $this->ability(['input_schema' => ['type' => 'object', 'default' => ['n' => 1]]]);
        self::assertSame('{"in":{"n":1}}', self::call($this->made)['result']);
        self::assertSame('{"in":{"n":2}}', self::call($this->made, '{"n":2}')['result']);
    }

    public function testASchemaInTheWordsOfWordPressIsOne(): void
    {
        $this->ability(['input_schema' => [
            'type' => 'object', 'required' => true,
            'properties' => [
                'a' => [
                    'type' => 'string', 'required' => true, 'enum' => ['x' => 'one', 'y' => 'two'],
                    'sanitize_callback' => static fn ($value) => $value,
                    'validate_callback' => 'rest_validate_request_arg',
                ],
                '0' => [
                    'type' => ['k' => 'integer', 'l' => 'null'], 'minimum' => 1,
                    'exclusiveMinimum' => true,
                ],
                'more' => ['type' => 'array', 'items' => ['anyOf' => [5 => ['type' => 'string']]]],
            ],
            'additionalProperties' => false,
        ]]);
        $row = self::call($this->made, '{"a":"one","0":2,"more":["x"]}');
        self::assertSame('completed', $row['state'], (string) $row['error']);
        foreach (['{}', '{"a":"three"}', '{"a":"one","0":1}', '{"a":"one","more":[1]}'] as $bad) {
            self::assertSame('invalid_input', self::call($this->made, $bad)['error_code'], $bad);
        }
    }
}
