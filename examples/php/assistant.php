<?php
/**
 * Runs the tools that a saved assistant reply asks for, and finds a handler's result afterwards.
 *
 *     php -d extension=build/toolwire.so examples/php/assistant.php \
 *         examples/data/reply.md examples/data/packets.json
 */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Html;
use Toolwire\ToolCall;
use Toolwire\ToolResultFinder;

[, $replyFile, $packetsFile] = $argv + [
    1 => __DIR__ . '/../data/reply.md',
    2 => __DIR__ . '/../data/packets.json',
];

/** The tools of this site for an assistant. */
$tools = [
    'wp_api' => static fn (array $a): string => "{$a['limit']} posts: \"Hello <world>\", \"About\"",
    'count_members' => static fn (array $a): string => "42 members where {$a['where']}",
    'plugin_logs' => static fn (array $a): string => "{$a['lines']} lines with \"{$a['filter']}\"",
];

$detector = new Detector(tools: array_keys($tools));
$detection = $detector->detect((string) file_get_contents($replyFile));

echo count($detection), " calls, ", count($detection->rejections), " refused\n";
foreach ($detection as $call) {
    echo "  {$call->format}  {$call->name}  {$call->argumentsRaw}\n";
}
foreach ($detection->rejections as $rejection) {
    echo "  refused, line {$rejection->line}: {$rejection->code}: {$rejection->message}\n";
}

$shown = $detection->replace(static function (ToolCall $call) use ($tools): string {
    try {
        return Html::result($call->name, true, $tools[$call->name]($call->arguments));
    } catch (Throwable $problem) {
        return Html::result($call->name, false, $problem->getMessage());
    }
});
echo "\nThe reply with results in place of the calls:\n\n", $shown, "\n";

$packets = json_decode((string) file_get_contents($packetsFile), true, flags: JSON_THROW_ON_ERROR);
$packet = ToolResultFinder::findHandlerResult($packets, 'wordpress_update');
if ($packet !== null && ToolResultFinder::projectResultSuccess($packet)) {
    $data = ToolResultFinder::projectResultData($packet);
    echo "wordpress_update changed post {$data['updated_id']}: ",
        implode(', ', $data['modifications']), "\n";
}
echo 'facebook: ',
    ToolResultFinder::findHandlerResult($packets, 'facebook') === null ? 'no result' : 'a result',
    "\n";
