<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\{Approvals, Engine};
use WP_Ability;

require_once __DIR__ . '/abilities.php';

/** Abilities as tools. */
final class AbilitiesTest extends SiteTestCase
{
    protected function setUp(): void
    {
        $schema = ['type' => 'object', 'properties' => [
            'text' => ['type' => 'string', 'required' => true],
            'list' => ['type' => 'array', 'items' => ['type' => 'object', 'properties' => ['n' => ['type' => 'integer', 'required' => true]]]],
        ]];
        $echo = static fn ($input) => ['got' => $input];
        $GLOBALS['test_abilities'] = [];
        foreach ([
            'shop/read' => ['meta' => ['show_in_rest' => true, 'annotations' => ['readonly' => true]], 'input_schema' => $schema],
            'shop/write' => ['meta' => ['show_in_rest' => true, 'annotations' => ['readonly' => false]], 'input_schema' => $schema],
            'shop/none' => ['meta' => ['show_in_rest' => true, 'annotations' => ['readonly' => true]]],
            'shop/hidden' => ['meta' => ['show_in_rest' => false]],
        ] as $name => $args) {
            $args += ['description' => "Does $name.", 'execute_callback' => $echo,
                'permission_callback' => static fn ($input) => current_user_can('edit_posts') && ($input['text'] ?? '') !== 'forbidden'];
            $GLOBALS['test_abilities'][$name] = new WP_Ability($name, $args);
        }
        parent::setUp();
    }

    protected function tearDown(): void
    {
        $GLOBALS['test_abilities'] = [];
        Engine::reset();
        parent::tearDown();
    }

    public function testAnAbilityIsATool(): void
    {
        foreach (['shop/read', 'wpab__shop__read'] as $name) {
            $row = self::call($name, '{"text":"a","list":[{"n":1}]}');
            self::assertSame(['completed', '{"got":{"text":"a","list":[{"n":1}]}}'], [$row['state'], $row['result']]);
        }
        self::assertSame('{"got":null}', self::call('shop/none')['result']);
        self::assertSame('tool_not_found', self::call('shop/hidden')['error_code']);
    }

    public function testItsSchemaAndItsPermissionsCount(): void
    {
        self::assertSame('invalid_input', self::call('shop/read')['error_code']);
        self::assertSame('invalid_input', self::call('shop/read', '{"text":"a","list":[{}]}')['error_code']);
        self::assertSame('permission_denied', self::call('shop/read', '{"text":"forbidden"}')['error_code']);
        $this->as('subscriber');
        self::assertSame('permission_denied', self::call('shop/read', '{"text":"a"}')['error_code']);
    }

    public function testOneThatMayWriteNeedsApproval(): void
    {
        $row = self::call('shop/write', '{"text":"a"}');
        self::assertSame('pending', $row['state']);
        self::assertSame('completed', Approvals::decide($row['approval_id'], true, '')['state']);
    }

    public function testTheOwnerMayTurnThemOff(): void
    {
        $this->settings(['abilities' => false]);
        self::assertSame('tool_not_found', self::call('shop/read', '{"text":"a"}')['error_code']);
    }
}
