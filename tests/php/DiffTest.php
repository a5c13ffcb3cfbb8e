<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DateTimeImmutable;
use JsonSerializable;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;
use Toolwire\Diff;
use Toolwire\DiffLine;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;

/** Diffs in PHP: values and exceptions that only PHP has. */
final class DiffTest extends TestCase
{
    /** @return list<string> */
    private static function contents(array $old, array $new, ?array $ignoreKeys = null): array
    {
        $changes = Diff::structured($old, $new, $ignoreKeys)->changes;
        return array_map(
            static fn (DiffLine $line): string => "$line->type $line->content",
            $changes
        );
    }

    public function testFieldsMayHoldAnyValue(): void
    {
        $own = ['n' => 1];
        $own['own'] = &$own;
        $closure = static fn (): int => 1;
        $plain = new stdClass();
        $plain->a = 1.0;
        $old = [
            'at' => new DateTimeImmutable('2024-01-01 UTC'), 'own' => 1, 'f' => 1, 'o' => $plain,
        ];
        $new = [
            'at' => new DateTimeImmutable('2024-01-02 UTC'), 'own' => $own, 'f' => $closure,
            'o' => ['a' => 1],
        ];
        $contents = self::contents($old, $new);
        self::assertStringStartsWith('remove at: {"date":"2024-01-01', $contents[0]);
        self::assertStringStartsWith('add at: {"date":"2024-01-02', $contents[1]);
        self::assertSame(
            ['remove own: 1', 'add own: array', 'remove f: 1', 'add f: {}'],
            array_slice($contents, 2, 4)
        );
        self::assertSame(['remove o: {"a": 1.0}', 'add o: {"a": 1}'], array_slice($contents, 6));
        self::assertSame([], self::contents(['at' => $old['at']], ['at' => clone $old['at']]));
    }

    public function testKeysAreThoseOfArrays(): void
    {
        $contents = self::contents(
            ["\xFF" => 1, 7 => 'a', 'x' => 1, -1 => 1],
            ["\xFF" => 2, 7 => 'b', 'x' => 2]
        );
        $changed = [
            "remove \xFF: 1", "add \xFF: 2", 'remove 7: "a"', 'add 7: "b"', 'remove x: 1',
            'add x: 2',
        ];
        $expected = ['remove -1: 1', ...$changed];
        self::assertSame($expected, $contents);
        self::assertSame(
            [],
            self::contents(['7' => 'a', "\xFF" => 1], ['7' => 'b', "\xFF" => 2], ['7', "\xFF"])
        );
        self::assertSame([], self::contents([7 => 'a'], [7 => 'b'], [7]));
    }

    public function testReferencesAreFollowed(): void
    {
        $one = 'x';
        self::assertSame([], self::contents(['a' => &$one], ['a' => 'x']));
        $list = [&$one, 2];
        self::assertSame("[\n]", Diff::json($list, ['x', 2])->diffOutput);
    }

    public function testAnExceptionOfAValueIsPassedOn(): void
    {
        $thrower = new class implements JsonSerializable {
            public function jsonSerialize(): mixed
            {
                throw new RuntimeException('mine');
            }
        };
        $this->expectExceptionMessage('mine');
        Diff::structured(['a' => $thrower], ['a' => 1]);
    }

    public function testAValueThatHoldsItselfIsRefusedAsJson(): void
    {
        $own = [];
        $own[] = &$own;
        $this->expectException(WrongType::class);
        Diff::json($own, []);
    }

    public function testAnyBytesAreText(): void
    {
        $diff = Diff::text("\xFF\n\x00", "\xFF\n\xE2\x80");
        $marked = "\n\\ No newline at end of file\n";
        self::assertStringEndsWith(" \xFF\n-\x00{$marked}+\xE2\x80{$marked}", $diff->diffOutput);
        self::assertSame(["\xFF\n\x00", "\xFF\n\xE2\x80"], [$diff->oldContent, $diff->newContent]);
        self::assertSame(
            [1, 1],
            [$diff->changes[0]->lineNumberOld, $diff->changes[0]->lineNumberNew]
        );
        $patch = Diff::json(['a'], ["\xFF"])->diffOutput;
        self::assertSame(
            '  {"op": "replace", "path": "/0", "value": "\ufffd"}',
            explode("\n", $patch)[1]
        );
    }

    public function testThePatchMakesTheOldValueTheNewOne(): void
    {
        $old = ['a' => [1, 2, 3], 'b/c' => ['x' => true], 'gone' => null, 'same' => []];
        $new = ['a' => [1], 'b/c' => ['x' => 1, '~' => 1.0], 'same' => [], 'new' => ['k' => 'v']];
        $applied = json_decode((string) json_encode($old), true);
        foreach (json_decode(Diff::json($old, $new)->diffOutput, true) as $step) {
            $at = &$applied;
            $names = array_map(
                static fn (string $name): string => strtr($name, ['~1' => '/', '~0' => '~']),
                array_slice(explode('/', $step['path']), 1)
            );
            $last = array_pop($names);
            foreach ($names as $name) {
                $at = &$at[$name];
            }
            if ($step['op'] === 'remove') {
                self::assertArrayHasKey($last, $at);
                unset($at[$last]);
            } else {
                $at[$last] = $step['value'];
            }
            unset($at);
        }
        self::assertSame($new, $applied);
    }

    public function testMisuseThrows(): void
    {
        $uses = [
            [InvalidArgument::class, static fn () => Diff::text('', '', 'side_by_side')],
            [InvalidArgument::class, static fn () => Diff::text('', '', contextLines: -1)],
            [WrongType::class, static fn () => Diff::structured([], ['a' => 1], [[]])],
        ];
        foreach ($uses as [$class, $use]) {
            try {
                $use();
                self::fail('nothing was thrown');
            } catch (InvalidArgument | WrongType $error) {
                self::assertSame($class, $error::class);
            }
        }
    }

    public function testThePageDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/diffs.md');
        self::assertSame(
            1,
            preg_match('/```php\n(.*?)```\n\n```text\n(.*?)```/s', $page, $example)
        );
        ob_start();
        try {
            eval($example[1]);
        } finally {
            $printed = (string) ob_get_clean();
        }
        self::assertSame($example[2], $printed);
    }
}
