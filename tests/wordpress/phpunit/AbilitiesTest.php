<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

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
        self::assertSame('pending', $row['state']);
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
}
