<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\WordPress\Extension_File;

/** Every place that names a version, or the lowest PHP, names the same one. */
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

    public function testTheVersionIsThatOfCargoEverywhere(): void
    {
        $read = static fn (string $file): string =>
            (string) file_get_contents(Cases::ROOT . "/$file");
        self::assertSame(1, preg_match('/^version = "(.+)"$/m', $read('Cargo.toml'), $match));
        $version = $match[1];
        $plugin = 'wordpress/toolwire/toolwire.php';
        $lines = [
            [$plugin, " * Version:           $version"],
            [$plugin, "const VERSION = '$version';"],
            ['wordpress/toolwire/readme.txt', "Stable tag: $version"],
            ['wordpress/toolwire/readme.txt', "= $version ="],
            ['core/Cargo.toml', 'version.workspace = true'],
            ['py-binding/Cargo.toml', 'version.workspace = true'],
            ['py-binding/pyproject.toml', 'dynamic = ["version"]'],
        ];
        foreach ($lines as [$file, $line]) {
            self::assertContains($line, explode("\n", $read($file)), $file);
        }
        // A version in it would be another place to change: the archive and the tag say it.
        foreach (['php/toolwire/composer.json', 'composer.json'] as $file) {
            self::assertArrayNotHasKey('version', json_decode($read($file), true), $file);
        }
    }

    public function testThePagesNameFilesOfThisVersion(): void
    {
        $cargo = (string) file_get_contents(Cases::ROOT . '/Cargo.toml');
        preg_match('/^version = "(.+)"$/m', $cargo, $match);
        $page = (string) file_get_contents(Cases::ROOT . '/docs/install.md');
        $files = '/(?:toolwire-toolwire|toolwire-wordpress|php_toolwire)-(\d[\d.]*\d)/';
        self::assertGreaterThan(3, preg_match_all($files, $page, $found));
        self::assertSame([$match[1]], array_values(array_unique($found[1])));
    }

    public function testThePluginKnowsWhichFilesAReleaseHas(): void
    {
        $made = [];
        foreach (['packaging/dist.mk', '.github/workflows/release.yml'] as $file) {
            $text = (string) file_get_contents(Cases::ROOT . "/$file");
            self::assertSame(1, preg_match('/\bPHPS ?:?= ?([\d.][\w. -]*)$/m', $text, $match));
            array_push($made, ...explode(' ', $match[1]));
        }
        require_once Cases::ROOT . '/wordpress/toolwire/includes/class-extension-file.php';
        $known = Extension_File::BUILT;
        sort($made);
        sort($known);
        self::assertSame($made, $known);
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
