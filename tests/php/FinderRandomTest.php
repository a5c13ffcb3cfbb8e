<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DataMachine\Engine\AI\Tools\PlainToolResultFinder;
use PHPUnit\Framework\TestCase;
use Toolwire\Tests\Dropin\RandomPackets;
use Toolwire\ToolResultFinder;

require_once __DIR__ . '/dropin/Listener.php';
require_once __DIR__ . '/dropin/Shelf.php';
require_once __DIR__ . '/dropin/RandomPackets.php';
require_once __DIR__ . '/reference/ToolResultFinder.php';

/** The finder against a plain loop, on random packets and on keys that are made to be confused. */
final class FinderRandomTest extends TestCase
{
    private const TYPES = ['tool_result', 'ai_handler_complete'];

    /** @return list<array<array-key, mixed>> what a plain loop finds */
    private static function plain(
        array $data,
        array $handlers,
        bool $partial,
        ?string $type,
        bool $successOnly,
    ): array {
        $found = [];
        foreach ($data as $packet) {
            if (
                !is_array($packet)
                || !in_array($packet['type'] ?? null, $type === null ? self::TYPES : [$type], true)
                || !is_array($packet['metadata'] ?? null)
                || !is_string($packet['metadata']['handler_tool'] ?? null)
            ) {
                continue;
            }
            $name = $packet['metadata']['handler_tool'];
            $matches = $partial
                ? fn (string $handler): bool => $handler !== '' && str_contains($name, $handler)
                : fn (string $handler): bool => $handler === $name;
            // From PHP 8.5 on, PHP warns of NAN as a boolean.
            if (
                array_filter($handlers, $matches) !== []
                && (!$successOnly || @PlainToolResultFinder::projectResultSuccess($packet))
            ) {
                $found[] = $packet;
            }
        }
        return $found;
    }

    public function testAHundredThousandRandomPackets(): void
    {
        $names = ['alpha', 'beta', '', '0', '5', "\xff\0", 'alp', 'none'];
        $searched = $found = 0;
        for ($seed = 1; $searched < 100_000; $seed++) {
            $random = new RandomPackets($seed);
            $data = $random->packets();
            $handler = $names[$seed % 8];
            $options = [
                $seed % 3 === 0,
                [null, null, ...self::TYPES][intdiv($seed, 8) % 4],
                $seed % 5 === 0,
            ];
            $expected = self::plain($data, [$handler], ...$options);
            $result = ToolResultFinder::findHandlerResult($data, $handler, ...$options);
            self::assertSame($expected[0] ?? null, $result, "seed $seed");
            if ($options === [false, null, false]) {
                $result = ToolResultFinder::findHandlerResult($data, $handler);
                self::assertSame($expected[0] ?? null, $result, "seed $seed, a short call");
            }
            $handlers = array_slice($names, $seed % 8, $seed % 4);
            self::assertSame(
                self::plain($data, $handlers, ...$options),
                ToolResultFinder::findAllHandlerResults($data, $handlers, ...$options),
                "seed $seed"
            );
            $searched += count($data);
            $found += count($expected);
        }
        self::assertGreaterThan(1000, $found);
    }

    /** These keys, texts or numbers, have the hashes of the finder's own keys. */
    public function testKeysWithTheSameHash(): void
    {
        $numbers = [
            'type' => PHP_INT_MIN | 6_385_745_159,
            'metadata' => PHP_INT_MIN | 7_572_665_281_747_366,
            'handler_tool' => -3_240_691_053_586_785_376,
        ];
        $texts = ['type' => 'tyqD', 'metadata' => 'metadau@', 'handler_tool' => 'handler_topK'];
        $true = ['type' => 'tool_result', 'metadata' => ['handler_tool' => 'a']];
        foreach ([$numbers, $texts] as $others) {
            $metadata = [$others['handler_tool'] => 'b', 'handler_tool' => 'a'];
            $before = [
                $others['metadata'] => ['handler_tool' => 'b'],
                $others['type'] => 'fetch',
                'metadata' => $metadata,
                'type' => 'tool_result',
            ];
            $alone = [
                $others['type'] => 'tool_result',
                $others['metadata'] => ['handler_tool' => 'a'],
            ];
            $inside = ['metadata' => [$others['handler_tool'] => 'a']] + $true;
            $data = [$true, $before, $alone, $inside, $true, $before];
            for ($start = 0; $start < count($data); $start++) {
                $given = json_decode((string) json_encode(array_slice($data, $start)), true);
                foreach ([array_slice($data, $start), $given] as $packets) {
                    self::assertSame(
                        self::plain($packets, ['a'], false, null, false),
                        ToolResultFinder::findAllHandlerResults($packets, 'a')
                    );
                    self::assertNull(ToolResultFinder::findHandlerResult($packets, 'b'));
                }
            }
        }
    }

    /** Long lists are fetched ahead; what is fetched is a guess. */
    public function testLongListsOfEveryLayout(): void
    {
        $shared = ['handler_tool' => 'shared'];
        $build = static function (int $number) use ($shared): mixed {
            $packet = ['type' => 'tool_result', 'metadata' => ['handler_tool' => "h$number"]];
            $holed = ['gone' => 1, 'x' => 2] + $packet;
            unset($holed['gone']);
            $referenced = $packet;
            $referenced['same'] = &$referenced['metadata'];
            return match ($number % 11) {
                0 => $holed,
                1 => $referenced,
                2 => ['metadata' => $shared] + $packet,
                3 => ['metadata' => []] + $packet,
                4 => [],
                5 => ['metadata' => [1, 2, 3]] + $packet,
                6 => [$packet, 'metadata'],
                7 => "metadata $number",
                8 => ['metadata' => 5] + array_reverse($packet),
                9 => json_decode((string) json_encode(['a' => 1] + $packet), true),
                default => $packet,
            };
        };
        foreach ([100, 6000] as $length) {
            $data = array_map($build, range(0, $length - 1));
            unset($data[4], $data[90], $data[$length - 1]);
            $shuffled = $data;
            mt_srand(7);
            shuffle($shuffled);
            foreach ([$data, $shuffled, ['x' => 1] + $data] as $packets) {
                foreach (['h0', 'h1', 'h9', 'h53', 'h90', 'shared', 'h99', 'none'] as $handler) {
                    $expected = self::plain($packets, [$handler], false, null, false);
                    $found = ToolResultFinder::findHandlerResult($packets, $handler);
                    self::assertSame($expected[0] ?? null, $found, $handler);
                    $found = ToolResultFinder::findAllHandlerResults($packets, [$handler, 'h10']);
                    $expected = self::plain($packets, [$handler, 'h10'], false, null, false);
                    self::assertSame($expected, $found, $handler);
                }
            }
        }
    }
}
