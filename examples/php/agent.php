<?php
/**
 * An agent with tools that a person approves, one request at a time.
 *
 *     php -d extension=build/toolwire.so examples/php/agent.php http://127.0.0.1:8080/v1 FOLDER \
 *         'Note that Ann called.'
 *
 * The folder has the conversation and the store. A request ends when a person has to decide; the
 * next one, without a question, goes on where it stood. No handler runs twice, whatever request is
 * killed. The server is any of OpenAI's chat completions; where it gives the model's raw text, the
 * calls are found in it. AGENT_STORE names another store than a file: redis://… or pgsql:….
 */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Provider;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Pdo;
use Toolwire\Tools\Store\Redis;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

require __DIR__ . '/../../php/toolwire/stores.php';

[, $server, $folder] = $argv + [2 => '.'];
$chatFile = "$folder/chat.json";
$messages = is_file($chatFile) ? json_decode(file_get_contents($chatFile), true) : [];
if (isset($argv[3])) {
    $messages[] = ['role' => 'user', 'content' => $argv[3]];
}

$registry = new Registry();
$registry->register(new ToolDefinition(
    name: 'write_note',
    actionType: 'write_note',
    description: 'Writes a note.',
    inputSchema: [
        'type' => 'object',
        'properties' => ['text' => ['type' => 'string']],
        'required' => ['text'],
    ],
    handler: static function (ToolInput $input) use ($folder): ToolOutput {
        file_put_contents("$folder/notes.txt", "{$input->payload['text']}\n", FILE_APPEND);
        return ToolOutput::ok(['written' => $input->payload['text']]);
    },
    requiresApproval: true,
));
$place = getenv('AGENT_STORE') ?: "$folder/agent.db";
$store = match (true) {
    str_starts_with($place, 'redis://') => new Redis($place),
    str_starts_with($place, 'pgsql:') => new Pdo($place),
    default => new Sqlite($place),
};
$executor = new Executor($registry, $store);

/** The file holds the old conversation or the new one, never a part. */
$add = static function (array ...$new) use (&$messages, $chatFile): void {
    array_push($messages, ...$new);
    file_put_contents("$chatFile.new", json_encode($messages, JSON_THROW_ON_ERROR));
    rename("$chatFile.new", $chatFile);
};

/**
 * Asks the model; calls that it wrote as text become calls of its message. What the model is told of
 * a call that was refused stands behind its message.
 */
$ask = static function () use (&$messages, $executor, $server): array {
    $tools = $executor->toProvider('openai');
    $body = json_encode(['model' => 'qwen3', 'messages' => $messages, 'tools' => $tools]);
    $header = 'Content-Type: application/json';
    $request = ['method' => 'POST', 'header' => $header, 'content' => $body, 'timeout' => 120];
    $context = stream_context_create(['http' => $request]);
    $reply = (string) file_get_contents("$server/chat/completions", false, $context);
    $message = json_decode($reply, true, 512, JSON_THROW_ON_ERROR)['choices'][0]['message'];
    $detector = new Detector(model: 'qwen3', tools: $tools);
    $found = $detector->detect($message['content'] ?? '');
    if (!empty($message['tool_calls'])) {
        return [$message];
    }
    if ($found->calls !== []) {
        return [Provider::message($found, 'openai')];
    }
    $refused = array_slice($found->rejections, 0, 1);
    return [$message, ...array_map(fn ($one) => Provider::refusal($one, 'openai'), $refused)];
};
// How often in a row the model is told that its call was refused.
$mostRefusals = 3;
$refused = 0;

while (true) {
    // Results stand behind the message in the order of its calls. Many servers number the calls of
    // each message anew, so a call is known by its message and its place there.
    $number = array_key_last(array_filter($messages, fn ($one) => !empty($one['tool_calls']))) ?? 0;
    $calls = $messages[$number]['tool_calls'] ?? [];
    $results = array_filter(array_slice($messages, $number), fn ($one) => $one['role'] === 'tool');
    foreach (array_slice($calls, count($results), preserve_keys: true) as $index => $asked) {
        $call = Provider::parse($asked)->calls[0];
        $scope = realpath($folder);
        $run = $executor->start($call, scope: $scope, message: (string) $number, index: $index);
        $isOpen = in_array($run->state, ['waiting', 'approved', 'running'], true);
        $run = $isOpen ? $executor->resume($run->id) : $run;
        if ($run->state === 'waiting') {
            exit("waiting for approval of {$run->tool}: {$run->approvalId}\n");
        }
        if ($run->state === 'running') {
            exit("another request runs {$run->tool}; try again\n");
        }
        $add(Provider::dump($run, 'openai', $call));
    }
    if (end($messages)['role'] === 'assistant') {
        exit(end($messages)['content'] . "\n");
    }
    [$said, $told] = $ask() + [1 => null];
    $refused = $told === null ? 0 : $refused + 1;
    $add($said, ...($told !== null && $refused <= $mostRefusals ? [$told] : []));
}
