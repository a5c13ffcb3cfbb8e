<?php

/**
 * An agent with tools that a person approves, one request at a time.
 *
 *     php -d extension=build/toolwire.so examples/php/agent.php http://127.0.0.1:8080/v1 FOLDER \
 *         'Note that Ann called.'
 *
 * The folder has the notes and the store, and the store has the conversation. A request ends when a
 * person has to decide; the next one, without a question, goes on where it stood. No handler runs
 * twice, whatever request is killed. The server is any of OpenAI's chat completions, also one that
 * leaves the model's calls in the text. AGENT_STORE names another store than a file: redis://… or
 * pgsql:….
 */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Tools\Agent;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Pdo;
use Toolwire\Tools\Store\Redis;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

require __DIR__ . '/../../php/toolwire/stores.php';

[, $server, $folder] = $argv + [2 => '.'];

$registry = new Registry();
$registry->register(new ToolDefinition(
    name: 'write_note',
    id: 'write_note',
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

/** Sends a request's body, also where PHP has no curl; a status of 0 says that there is no response. */
$client = static function (array $body) use ($server): ModelResponse {
    $http = [
        'method' => 'POST',
        'header' => 'Content-Type: application/json',
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 120,
        'ignore_errors' => true,
    ];
    $context = stream_context_create(['http' => $http]);
    $stream = @fopen("$server/chat/completions", 'r', false, $context);
    if ($stream === false) {
        return new ModelResponse(0, error_get_last()['message'] ?? '');
    }
    $headers = implode("\n", stream_get_meta_data($stream)['wrapper_data']);
    $pause = preg_match('/^retry-after: *(\d+)/mi', $headers, $found) ? (int) $found[1] : null;
    return new ModelResponse((int) substr($headers, 9, 3), stream_get_contents($stream), $pause);
};

$detector = new Detector(model: 'qwen3');
$agent = new Agent($client, 'qwen3', new Executor($registry, $store), detector: $detector);
try {
    // Several folders may have one store.
    $answer = $agent->run($argv[3] ?? null, (string) realpath($folder));
} catch (AgentException $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    exit(1);
}
foreach ($answer->waiting as $run) {
    echo $run->state === 'waiting'
        ? "waiting for approval of $run->tool: $run->approvalId\n"
        : "$run->tool is $run->state: $run->id\n";
}
if ($answer->state !== 'waiting') {
    echo "$answer->text\n";
}
