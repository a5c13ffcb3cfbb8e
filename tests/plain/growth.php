<?php

/**
 * Shows that the detector takes linear time on hostile texts: `php -n tests/plain/growth.php`.
 *
 * Time is counted in steps, which are the same in each run: statements of the library, and bytes
 * that the functions of PHP look at for it. Eight times the text takes about eight times the steps.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use Toolwire\Detector;
use Toolwire\Plain\CutMark;
use Toolwire\Redaction;
use Toolwire\Tests\Plain\Growth\Counted;
use Toolwire\Text;

error_reporting(E_ALL);
ini_set('memory_limit', '512M');
require __DIR__ . '/growth/Counted.php';
Counted::load();

/** The units that texts are made of. */
$units = [
    '{', '[', '{"a":', '[{', '[{"a":1},', '{"a":[', '<tool:', '<tool:x>{', '<tool:x>{"a":"',
    '<tool:x>{}', '<tool:x>{}</tool>', '<tool:x>{"a":', '<tool:x', '<tool:x ', '```json {',
    "```json\n", '```', '`', '``` ', "`\n", '`a`` ', "\n```\n", "\n~~~ ", "\n~~~~\n~~~ x",
    '{"name":"a","arguments":{', '{"name":"a","arguments":{}}', '[{"name":"a","arguments":{}},',
    '{"name":"a","arguments":"{', '{"name":"a","arguments":{"a":1,"a":',
    '<div class=mpai-tool-call',
    '<div class=mpai-tool-call data-tool-name=x data-tool-parameters={>',
    '<div class=mpai-tool-call data-tool-name=x data-tool-parameters={}>',
    '<p class=mpai-tool-call data-tool-name=x data-tool-parameters={}></p>', '<div ', '<div a="',
    '</', '<!--', '<!', '<script>', '<script></script>', '<title>', '<think>', '</think>',
    '<think></think>', '<think>`', '<think>{"name":"a","arguments":{', '"', '\\', '\\u',
    '<think>`</think>', "<think>\n```\n</think>a", "<think>``` a\n</think>",
    '{"\\u0061', "\0", "\xff", '&', ' ', "\r\n", "\t`", '{"a {', '{"a" x {"b":"`"} ',
    '{"a" x "{" {"b":1}} ', "{'a':", '{a:1,', '{//', '{/*', '<tool:x>{a:', "<tool:x>{'",
    '<tool:x>{"a":1,}', '{"name":"a","arguments":{/*', '{"a":1} ', '{"arguments":{}} ',
    '{"name":"x"} ', '"arguments": and ', '{ "parameters" ', '{"a":{}} {"b": the "args"',
    '<p class="mpai-tool-cal" data-tool-name="x">', '<p class="mpai&#45;tool&#45;cal">',
    '<tool:x>{"a":"b ', '<tool:x>{"a":1} ', "```php\n{}\n``` ```php\n", "```json\n{\n", '{"name":"',
    '{a:', '[{a:', '{a:[', '{a:[{', '{a:1,b:', '{/**/a:', '{a:[",{a:[",', '{"b":True,"a":',
];
$options = [
    'default' => [],
    'repair' => [null, null, null, null, null, null, null, 'safe'],
    'fences' => [null, null, null, null, null, 'all', 'calls'],
    'calls in reasoning' => [null, null, null, null, null, null, 'calls'],
];

/** Beginnings of the calls of each format, with the options that read them. */
$begun = [];
foreach (Detector::formats() as ['slug' => $slug, 'example' => $example]) {
    foreach ([0.3, 0.55, 0.8, 1] as $part) {
        $begun[] = [[], substr($example, 0, (int) (strlen($example) * $part))];
    }
    $begun[] = [[$slug, null, null, null, null, null, null, 'safe'], end($begun)[1]];
    $begun[] = [[$slug], "<think>$example"];
}

/** The steps of a detection in a text of a size. */
$steps = static function (array $options, string $unit, int $size): int {
    $text = str_repeat($unit, intdiv($size, strlen($unit)));
    $detector = new Detector(...$options);
    Counted::$steps = 0;
    $found = $detector->detect($text);
    assert($found->text !== "\0");
    return Counted::$steps;
};

/** What is done with a text in an agent and in a log: secrets are masked, and signs shown. */
$masked = [
    'password=', 'password=x ', '"password":"', '"token":{', '%41', '&amp;', '\\u0041', 'Bearer ',
    'cookie: a=b; ', '[redacted] token=x ', "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAA\n",
    '://a:', 'eyJ', 'wp-login.php?a&', 'a b: ', 'Authorization: a b ', '1764000000|', "\u{200B}",
    '-eyJaaaaaaaa-ghp_aaaaaaaaaaaaaaaaaaaa', '-xoxb-aaaaaaa-eyJaaaaaaaa_', 'token:', '<token>',
    '-eyJaaaaaaaa.aaaaaaaa.aaaaaaaa-cookie:a=', "define('token', '", "b'token': b", 'token=[',
    "\u{1F469}\u{200D}", "\u{915}\u{200D}", '<', '[',
];
$masking = static function (string $unit, int $size): int {
    $redaction = Redaction::withDefaults();
    // What ends the value of a label, but not as the last word of its line.
    $text = str_repeat($unit, intdiv($size, strlen($unit))) . ' x y';
    Counted::$steps = 0;
    assert(CutMark::without(Text::visible($redaction->maskText($text))) !== "\0");
    return Counted::$steps;
};

$limit = 8 * 1.5;
[$measured, $failed, $worst] = [0, 0, 0.0];
foreach ($options as $given) {
    foreach ($units as $unit) {
        $begun[] = [$given, $unit];
    }
}
foreach ($begun as [$given, $unit]) {
    $growth = $steps($given, $unit, 1 << 15) / $steps($given, $unit, 1 << 12);
    $worst = max($worst, $growth);
    $measured++;
    if ($growth > $limit) {
        $failed++;
        $shown = json_encode([array_filter($given), $unit], JSON_INVALID_UTF8_SUBSTITUTE);
        fprintf(STDERR, "%s: %.1f times the steps\n", $shown, $growth);
    }
}
// The tables are read once.
$masking('<', 1);
foreach ($masked as $unit) {
    $growth = $masking($unit, 1 << 15) / $masking($unit, 1 << 12);
    $worst = max($worst, $growth);
    $measured++;
    if ($growth > $limit) {
        $failed++;
        fprintf(STDERR, "masking %s: %.1f times the steps\n", json_encode($unit), $growth);
    }
}
printf(
    "PHP %s: %d hostile texts; eight times the text takes at most %.1f times the steps\n",
    PHP_VERSION,
    $measured,
    $worst
);
exit($failed === 0 ? 0 : 1);
