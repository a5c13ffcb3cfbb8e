<?php

// An agent whose tool a person approves: `agent.php http://HOST/v1 chat.db 'Wipe disk 7.'`,
// then `toolwire approvals approve chat.db REQUEST`, then the first command without the text.

use Toolwire\Detector;
use Toolwire\Tools\{Agent, Executor, ModelResponse, Registry, ToolDefinition, ToolInput};
use Toolwire\Tools\Store\Sqlite;

[, $server, $file] = $argv;
$client = static function (array $body) use ($server): ModelResponse {
    $http = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'timeout' => 600];
    $http += ['content' => json_encode($body), 'ignore_errors' => true];
    $context = stream_context_create(['http' => $http]);
    $stream = @fopen("$server/chat/completions", 'r', false, $context);
    $head = $stream ? stream_get_meta_data($stream)['wrapper_data'][0] : 'HTTP/1.1 0';
    $said = $stream ? stream_get_contents($stream) : error_get_last()['message'];
    return new ModelResponse((int) substr($head, 9, 3), $said);
};
$registry = new Registry();
$list = static fn () => [7, 8];
$registry->register(new ToolDefinition('disks', 'disks', $list, description: 'List the disks.'));
$wipe = static function (ToolInput $input): string {
    echo "wiping {$input->payload['disk']}\n";
    return 'wiped';
};
$schema = ['properties' => ['disk' => ['type' => 'integer']], 'required' => ['disk']];
$tool = new ToolDefinition('wipe', 'wipe', $wipe, inputSchema: $schema, requiresApproval: true);
$registry->register($tool);
$executor = new Executor($registry, new Sqlite($file));
$agent = new Agent($client, 'qwen3', $executor, detector: new Detector(model: 'qwen3'));
$answer = $agent->run($argv[3] ?? null, 'chat');
echo "$answer->text\n";
foreach ($answer->waiting as $call) {
    printf("%s %s: %s\n", $call->tool, $call->state, $call->approvalId ?? $call->id);
}
