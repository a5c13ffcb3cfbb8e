<?php

/**
 * Detection against three passes of preg and json_decode. Prints rows for each text.
 *
 *     php -d extension=build/toolwire.so bench/php/detection.php build/bench
 */

namespace Toolwire\Bench;

use Toolwire\Detector;

require __DIR__ . '/measure.php';
require __DIR__ . '/peers.php';

/** The names and arguments of a text's calls. */
function found(Detector $detector, string $text): array
{
    return array_map(
        fn ($call) => [$call->name, $call->arguments],
        $detector->detect($text)->calls
    );
}

/** What the peer finds, in the text's order: it gives calls format by format. */
function found_by_preg(string $text): array
{
    $places = [];
    $calls = [];
    foreach (detect_with_preg($text) as $call) {
        $places[] = strpos($text, $call['original']);
        $calls[] = [$call['name'], $call['parameters']];
    }
    array_multisort($places, $calls);
    return $calls;
}

/** Every call's name and arguments are read. */
function ours(Detector $detector, string $text): \Closure
{
    return static function (int $times) use ($detector, $text): void {
        while ($times-- > 0) {
            foreach ($detector->detect($text)->calls as $call) {
                $call->name;
                $call->arguments;
            }
        }
    };
}

function theirs(string $text): \Closure
{
    return static function (int $times) use ($text): void {
        while ($times-- > 0) {
            foreach (detect_with_preg($text) as $call) {
                $call['name'];
                $call['parameters'];
            }
        }
    };
}

/** One memchr over the text, and json_decode of the calls' arguments, whose places are known. */
function limit(array $raw, string $text): \Closure
{
    return static function (int $times) use ($raw, $text): void {
        while ($times-- > 0) {
            strpos($text, "\0");
            foreach ($raw as $json) {
                json_decode($json, true);
            }
        }
    };
}

/** Prints a row for a text. */
function text_row(string $group, string $name, string $text, array $samples, string $note): void
{
    row([
        'group' => $group, 'name' => $name, 'unit' => 'ns', 'bytes' => strlen($text),
        'samples' => $samples, 'note' => $note,
    ]);
}

/** Two rows: three formats, and all formats. They are measured together. */
function text_rows(string $name, Detector $three, Detector $all, string $text): void
{
    if (!asked('PHP detect', $name) && !asked('PHP detect, all formats', $name)) {
        return;
    }
    $calls = found($three, $text);
    same($name, $calls, found_by_preg($text));
    same("$name, all formats", $calls, found($all, $text));
    $raw = array_map(fn ($call) => $call->argumentsRaw, $three->detect($text)->calls);
    $taken = samples([
        'ours' => ours($three, $text),
        'all' => ours($all, $text),
        'theirs' => theirs($text),
        'limit' => limit($raw, $text),
    ]);
    ['ours' => $ours, 'all' => $every, 'theirs' => $theirs, 'limit' => $limit] = $taken;
    $note = 'limit: strpos of a byte that is not there, json_decode on the arguments alone';
    $samples = ['ours' => $ours, 'theirs' => $theirs, 'limit' => $limit];
    text_row('PHP detect', $name, $text, $samples, $note);
    $samples = ['ours' => $every, 'theirs' => $theirs, 'limit' => $ours];
    text_row('PHP detect, all formats', $name, $text, $samples, 'limit: three formats');
}

/** A text without calls: how many GB a second are searched. */
function rate_row(string $name, Detector $detector, string $text): void
{
    if (asked('PHP GB/s', $name)) {
        $ways = [
            'ours' => ours($detector, $text),
            'theirs' => theirs($text),
            'limit' => limit([], $text),
        ];
        $note = 'limit: strpos of a byte that is not there';
        text_row('PHP GB/s', $name, $text, samples($ways), $note);
    }
}

/** The cost of an empty text: the function call, and the object that it returns. */
function empty_row(Detector $detector): void
{
    if (asked('PHP detect', 'empty text')) {
        $ways = ['ours' => ours($detector, ''), 'theirs' => theirs('')];
        text_row('PHP detect', 'empty text', '', samples($ways), '');
    }
}

function main(string $directory): void
{
    $three = new Detector(['tag', 'json', 'html']);
    $all = new Detector();
    empty_row($three);
    foreach (timed_texts($directory, 'timed') as $name => $text) {
        text_rows($name, $three, $all, $text);
    }
    foreach (timed_texts($directory, 'rates') as $name => $text) {
        rate_row($name, $three, $text);
    }
}

main($argv[1]);
