<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Assistant\Model_Key;

/** The key of the model's service: where it comes from, how it is kept, and what is shown of it. */
final class ModelKeyTest extends SiteTestCase
{
    private const KEY = 'sk-0123456789-abcdef';

    protected function tearDown(): void
    {
        putenv(Model_Key::NAME);
        delete_option(Model_Key::OPTION);
        remove_all_filters('salt');
        parent::tearDown();
    }

    public function testItIsKeptEncryptedAndOnlyItsEndIsShown(): void
    {
        $key = new Model_Key();
        self::assertSame(['', '', false], [$key->get(), $key->shown(), $key->is_lost()]);
        $key->set(self::KEY);
        self::assertSame([self::KEY, '•••• cdef'], [$key->get(), $key->shown()]);
        self::assertFalse($key->is_given());
        $kept = (string) get_option(Model_Key::OPTION);
        self::assertStringNotContainsString('0123456789', $kept . base64_decode($kept));
        $loaded = $GLOBALS['wpdb']->get_var($GLOBALS['wpdb']->prepare(
            "SELECT autoload FROM {$GLOBALS['wpdb']->options} WHERE option_name = %s",
            Model_Key::OPTION
        ));
        self::assertContains($loaded, ['no', 'off']);
        $key->set('short');
        self::assertSame('•••• ', $key->shown());
        $key->set('');
        self::assertSame(['', 'none'], [$key->get(), get_option(Model_Key::OPTION, 'none')]);
    }

    public function testThatOfTheEnvironmentGoesBeforeIt(): void
    {
        $key = new Model_Key();
        $key->set(self::KEY);
        putenv(Model_Key::NAME . '= sk-of-the-environment ');
        self::assertTrue($key->is_given());
        self::assertSame(['sk-of-the-environment', '•••• ment'], [$key->get(), $key->shown()]);
        putenv(Model_Key::NAME . '=');
        self::assertSame([false, self::KEY], [$key->is_given(), $key->get()]);
    }

    public function testAfterTheSaltsHaveChangedItIsLostAndSaysSo(): void
    {
        $key = new Model_Key();
        $key->set(self::KEY);
        add_filter('salt', static fn(string $salt): string => "$salt changed");
        self::assertSame(['', '', true], [$key->get(), $key->shown(), $key->is_lost()]);
        $key->set('sk-entered-again-1');
        self::assertSame(['sk-entered-again-1', false], [$key->get(), $key->is_lost()]);
    }
}
