<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Exception\ErrorKind;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\InvalidState;
use Toolwire\Exception\WrongType;

/** `docs/codes.md`: the codes that a user of PHP meets are on the page. */
final class CodesTest extends TestCase
{
    private const CLASSES = [
        'argument' => InvalidArgument::class,
        'type' => WrongType::class,
        'state' => InvalidState::class,
    ];

    /** @return array<string, list<string>> The other cells of each row by its slug. */
    private static function rows(string $enum): array
    {
        $page = file_get_contents(__DIR__ . '/../../docs/codes.md');
        $section = explode("\n## ", explode("\n## `$enum`\n", $page)[1])[0];
        preg_match_all('/^\| `([a-z0-9_]+)` \| (.*) \|$/m', $section, $found);
        return array_map(
            static fn (string $cells): array => explode(' | ', $cells),
            array_combine($found[1], $found[2])
        );
    }

    public function testTheKindsOfErrorsAreThoseOfThePage(): void
    {
        $page = array_map(static fn (array $cells): array => [
            'number' => (int) $cells[0],
            'exception' => self::CLASSES[$cells[1]],
        ], self::rows('ErrorKind'));
        self::assertSame(ErrorKind::all(), $page);
    }

    public function testEveryRejectionOfTheSharedCasesIsOnThePage(): void
    {
        $codes = [];
        foreach (['detection', 'formats', 'provider'] as $topic) {
            $cases = file_get_contents(__DIR__ . "/../cases/$topic.json");
            foreach (json_decode($cases, true) as $case) {
                $rejections = $case['output']['rejections'] ?? [];
                array_push($codes, ...array_column(is_array($rejections) ? $rejections : [], 'code'));
            }
        }
        self::assertGreaterThan(10, count($codes));
        self::assertSame([], array_diff($codes, array_keys(self::rows('call::RejectionCode'))));
    }
}
