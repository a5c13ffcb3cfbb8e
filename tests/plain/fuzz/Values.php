<?php

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Fuzz;

/** Random packets, results and values of PHP. The same seed gives the same values. */
final class Values
{
    private const KEYS = [
        'type', 'metadata', 'handler_tool', 'tool_success', 'tool_result', 'tool_result_envelope',
        'tool_result_data', 'success', 'result', 'data', 'error', 'message', 'code', 'tool_name',
        'ability', 'executor', 'wp_error_code', 'x', '7', '', "k\xff", 0, 1, 2,
    ];

    private const TEXTS = [
        '', '0', 'alpha', 'beta', 'alph', 'tool_result', 'ai_handler_complete', 'false', 'Not you.',
        "a b, c. d; e: f!\u{2003}g\u{85}h", "\xff\xfe", 'é漢😀', "line\nbreak", "\x1c\x1d\x7f\"\\/",
        "\xed\xa0\x80\xed\xbf\xbf", "\u{10FFFF}\u{FFFD}",
    ];

    /**
     * A value that nests at most so deep.
     *
     * @return mixed
     */
    public static function value(int $depth)
    {
        switch (mt_rand(0, $depth > 0 ? 11 : 7)) {
            case 0:
                return null;
            case 1:
                return mt_rand(0, 1) === 1;
            case 2:
                return mt_rand(-3, 3);
            case 3:
                return mt_rand() * (mt_rand() << 20) * (mt_rand(0, 1) * 2 - 1);
            case 4:
                return self::float();
            case 5:
                return str_repeat(self::text(), mt_rand(1, 30));
            case 6:
            case 7:
                return self::text();
            case 8:
                return (object) self::map($depth - 1);
            case 9:
                return array_values(self::map($depth - 1));
            default:
                return self::map($depth - 1);
        }
    }

    public static function text(): string
    {
        return self::TEXTS[mt_rand(0, count(self::TEXTS) - 1)];
    }

    /** @return array<array-key, mixed> */
    public static function map(int $depth): array
    {
        $map = [];
        for ($count = mt_rand(0, 5); $count > 0; $count--) {
            $map[self::KEYS[mt_rand(0, count(self::KEYS) - 1)]] = self::value($depth);
        }
        return $map;
    }

    public static function float(): float
    {
        switch (mt_rand(0, 4)) {
            case 0:
                $bits = '';
                for ($byte = 0; $byte < 8; $byte++) {
                    $bits .= chr(mt_rand(0, 255));
                }
                return unpack('d', $bits)[1];
            case 1:
                return mt_rand(0, 1000) / 1000;
            case 2:
                return (mt_rand(0, 2000) + 0.5) / 1000 * (mt_rand(0, 1) * 2 - 1);
            case 3:
                return 2.0 ** mt_rand(-1074, 1023);
            default:
                $odd = [0.0, -0.0, 1e16, 1e15, 0.0001, 0.00001, 1.0, 0.125, INF, -INF, NAN];
                return $odd[mt_rand(0, 10)];
        }
    }

    /** @return list<mixed> packets, most of which have the form of one */
    public static function packets(): array
    {
        $packets = [];
        for ($count = mt_rand(0, 8); $count > 0; $count--) {
            if (mt_rand(0, 5) === 0) {
                $packets[] = self::value(3);
                continue;
            }
            $metadata = ['handler_tool' => self::text()] + self::map(3);
            if (mt_rand(0, 1) === 1) {
                $metadata['tool_result'] = self::map(2);
            }
            $type = ['tool_result', 'ai_handler_complete', 'fetch'][mt_rand(0, 2)];
            $packets[] = ['type' => $type, 'metadata' => $metadata] + self::map(2);
        }
        return $packets;
    }
}
