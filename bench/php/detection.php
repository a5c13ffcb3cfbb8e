<?php

/**
 * Detection against three passes of preg and json_decode. Prints a row for each text.
 *
 *     php -d extension=build/toolwire.so bench/php/detection.php build/bench
 */

namespace Toolwire\Bench;

use Toolwire\Detector;

require __DIR__ . '/measure.php';
require __DIR__ . '/peers.php';

/** The calls of a text by both sides, in its order: the peer gives them format by format. */
function checked(string $name, Detector $detector, string $text): array
{
    $ours = [];
    foreach ($detector->detect($text) as $call) {
        $ours[] = [$call->name, $call->arguments];
    }
    $places = [];
    $theirs = [];
    foreach (detect_with_preg($text) as $call) {
        $places[] = strpos($text, $call['original']);
        $theirs[] = [$call['name'], $call['parameters']];
    }
    array_multisort($places, $theirs);
    same($name, $ours, $theirs);
    return $ours;
}

/** Prints a row for a text. */
function text_row(string $name, string $text, array $samples, string $note): void
{
    row([
        'group' => 'PHP detect', 'name' => $name, 'unit' => 'ns', 'bytes' => strlen($text),
        'samples' => $samples, 'note' => $note,
    ]);
}

/**
 * A text with calls: every call's name and arguments are read. The limit is json_decode of the
 * arguments alone.
 */
function calls_row(string $name, Detector $detector, string $text): void
{
    if (checked($name, $detector, $text) === []) {
        exit(1);
    }
    $raw = array_map(fn ($call) => $call->argumentsRaw, $detector->detect($text)->calls);
    $samples = samples([
        'ours' => static function (int $times) use ($detector, $text): void {
            while ($times-- > 0) {
                foreach ($detector->detect($text)->calls as $call) {
                    $call->name;
                    $call->arguments;
                }
            }
        },
        'theirs' => static function (int $times) use ($text): void {
            while ($times-- > 0) {
                foreach (detect_with_preg($text) as $call) {
                    $call['name'];
                    $call['parameters'];
                }
            }
        },
        'limit' => static function (int $times) use ($raw): void {
            while ($times-- > 0) {
                foreach ($raw as $json) {
                    json_decode($json, true);
                }
            }
        },
    ]);
    text_row($name, $text, $samples, 'limit: json_decode on the arguments alone');
}

/** A text without calls. The limit is PHP's memchr over the same bytes. */
function prose_row(string $name, Detector $detector, string $text): void
{
    if (checked($name, $detector, $text) !== []) {
        exit(1);
    }
    $samples = samples([
        'ours' => static function (int $times) use ($detector, $text): void {
            while ($times-- > 0) {
                $detector->detect($text)->calls;
            }
        },
        'theirs' => static function (int $times) use ($text): void {
            while ($times-- > 0) {
                detect_with_preg($text);
            }
        },
        'limit' => static function (int $times) use ($text): void {
            while ($times-- > 0) {
                strpos($text, "\0");
            }
        },
    ]);
    text_row($name, $text, $samples, 'limit: strpos of a byte that is not there');
}

/** The cost of an empty text: the function call, and the object that it returns. */
function empty_row(Detector $detector): void
{
    row(['group' => 'PHP detect', 'name' => 'empty text', 'unit' => 'ns', 'samples' => samples([
        'ours' => static function (int $times) use ($detector): void {
            while ($times-- > 0) {
                $detector->detect('')->calls;
            }
        },
        'theirs' => static function (int $times): void {
            while ($times-- > 0) {
                detect_with_preg('');
            }
        },
    ]), 'note' => '']);
}

/** How time grows with the text (once, 4, 16, 64 times), when all arguments are read. */
function growth_row(string $name, string $unit): void
{
    // The detector skips calls beyond its limit, which would hide how time grows.
    $detector = new Detector(maxCalls: PHP_INT_MAX, maxRejections: PHP_INT_MAX);
    $ours = $limit = [];
    foreach ([1, 4, 16, 64] as $times) {
        $text = str_repeat($unit, $times);
        $ours[strlen($text)] = static function (int $times) use ($detector, $text): void {
            while ($times-- > 0) {
                foreach ($detector->detect($text)->calls as $call) {
                    $call->name;
                    $call->arguments;
                }
            }
        };
        $limit[strlen($text)] = static function (int $times) use ($text): void {
            while ($times-- > 0) {
                strpos($text, "\0");
            }
        };
    }
    $fitted = fn (array $ways) => [exponent(array_map(median(...), samples($ways)))];
    row([
        'group' => 'PHP growth',
        'name' => $name,
        'unit' => 'exponent',
        'samples' => ['ours' => $fitted($ours), 'limit' => $fitted($limit)],
        'note' => 'limit: strpos',
    ]);
}

function main(string $directory): void
{
    $detector = new Detector();
    empty_row($detector);
    calls_row('2 KB, 1 call', $detector, text($directory, 'prose-2k-1'));
    calls_row('64 KB, 8 calls, arguments read', $detector, text($directory, 'prose-64k-8'));
    calls_row('64 KB, 8 calls in 3 formats', $detector, text($directory, 'mixed-64k-8'));
    calls_row('1 MB, 100 calls', $detector, text($directory, 'prose-1m-100'));
    prose_row('prose, 64 KB', $detector, text($directory, 'prose-64k'));
    prose_row('prose, 1 MB', $detector, text($directory, 'prose-1m'));
    prose_row('prose with code and HTML, 64 KB', $detector, text($directory, 'code-64k'));
    prose_row('JSON fences, 64 KB', $detector, text($directory, 'blocks-64k'));
    growth_row('prose', text($directory, 'prose-64k'));
    growth_row('prose with code and HTML', text($directory, 'code-64k'));
    growth_row('calls in 3 formats, arguments read', text($directory, 'mixed-64k-8'));
}

main($argv[1]);
