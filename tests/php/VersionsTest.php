<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;

/** Every place that names the lowest PHP names the same one. */
final class VersionsTest extends TestCase
{
    /** What the extension's build accepts. */
    private const LOWEST = '8.2';

    private const PLACES = [
        'php-ext/build.rs' => '/needs PHP ([\d.]+) or newer/',
        '.ci/setup' => '/PHP ([\d.]+) or newer is needed/',
        'wordpress/toolwire/toolwire.php' => '/^ \* Requires PHP: +([\d.]+)$/m',
        'wordpress/toolwire/readme.txt' => '/^Requires PHP: ([\d.]+)$/m',
        'docs/wordpress.md' => '/It needs PHP ([\d.]+),/',
        'docs/tools-php.md' => '/PHP ([\d.]+) or newer/',
    ];

    public function testTheLowestPhpIsTheSameEverywhere(): void
    {
        $lowest = [];
        foreach (self::PLACES as $file => $pattern) {
            $text = (string) file_get_contents(Cases::ROOT . "/$file");
            $lowest[$file] = preg_match($pattern, $text, $match) === 1 ? $match[1] : 'none';
        }
        self::assertSame(array_fill_keys(array_keys(self::PLACES), self::LOWEST), $lowest);
    }

    public function testTheChecksAcceptThatVersion(): void
    {
        [$major, $minor] = explode('.', self::LOWEST);
        $build = (string) file_get_contents(Cases::ROOT . '/php-ext/build.rs');
        self::assertStringContainsString("version < ApiVersion::Php$major$minor", $build);
        $setup = (string) file_get_contents(Cases::ROOT . '/.ci/setup');
        self::assertStringContainsString("PHP_VERSION_ID >= {$major}0{$minor}00", $setup);
        self::assertTrue(version_compare(PHP_VERSION, self::LOWEST, '>='));
    }
}
