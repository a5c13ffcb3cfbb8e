<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Extension_File;
use Toolwire\WordPress\Missing_Extension;

use const Toolwire\WordPress\VERSION;

/** What an administrator reads where the extension is not loaded. */
final class MissingExtensionTest extends SiteTestCase
{
    /** @return iterable<string, array{Extension_File, bool, string}> */
    public static function kinds(): iterable
    {
        $names = [
            ['8.4', 'x86_64', 'linux', 'glibc', false, '8.4-x86_64-linux-glibc-nts'],
            ['8.2', 'aarch64', 'linux', 'glibc', false, '8.2-arm64-linux-glibc-nts'],
            ['8.4', 'x86_64', 'linux', 'glibc', true, '8.4-x86_64-linux-glibc-zts'],
        ];
        foreach ($names as [$version, $machine, $system, $libc, $threads, $platform]) {
            $file = new Extension_File($version, $machine, $system, $libc, $threads);
            yield $platform => [$file, true, $platform];
        }
        $none = [
            '8.4-riscv64-linux-glibc-nts' => ['8.4', 'riscv64', 'linux', 'glibc', false],
            '8.4-arm64-linux-musl-nts' => ['8.4', 'aarch64', 'linux', 'musl', false],
            '8.4-x86_64-linux-glibc-debug-nts' => ['8.4', 'x86_64', 'linux', 'glibc', false, true],
            '8.2-x86_64-linux-glibc-zts' => ['8.2', 'x86_64', 'linux', 'glibc', true],
            '8.1-x86_64-linux-glibc-nts' => ['8.1', 'x86_64', 'linux', 'glibc', false],
            '8.4-arm64-darwin-nts' => ['8.4', 'arm64', 'darwin', '', false],
        ];
        foreach ($none as $platform => $kind) {
            yield $platform => [new Extension_File(...$kind), false, $platform];
        }
    }

    /** @dataProvider kinds */
    public function testTheNoticeNamesTheFileOrThatThereIsNone(
        Extension_File $file,
        bool $built,
        string $platform,
    ): void {
        self::assertSame($built, $file->is_built());
        self::assertSame($platform, $file->platform());
        $name = 'php_toolwire-' . VERSION . "_php$platform.zip";
        self::assertSame($name, $file->name(VERSION));
        $text = (new Missing_Extension())->message($file);
        self::assertSame($built, str_contains($text, "<code>$name</code>"));
        self::assertSame(!$built, str_contains($text, "(<code>$platform</code>)"));
        self::assertSame($text, wp_kses($text, ['code' => []]));
    }

    public function testThisPhpIsDescribed(): void
    {
        self::assertStringStartsWith(
            PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '-' . php_uname('m') . '-linux-glibc',
            Extension_File::of_this_php()->platform()
        );
    }
}
