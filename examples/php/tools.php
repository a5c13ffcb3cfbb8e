<?php
/**
 * An assistant asks for two tools. One runs. The other waits for a person, in a file that outlives
 * the request.
 *
 *     php -d extension=build/toolwire.so examples/php/tools.php
 */

declare(strict_types=1);

use Toolwire\Detector;
use Toolwire\Tools\ApprovalService;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Sqlite;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;
use Toolwire\Tools\UndoMetadata;

$posts = [7 => 'Hello', 8 => 'About'];

$registry = new Registry();
$registry->register(new ToolDefinition(
    name: 'list_posts',
    id: 'LIST_POSTS',
    handler: static fn (): ToolOutput => ToolOutput::ok(['titles' => array_values($posts)]),
));
$registry->register(new ToolDefinition(
    name: 'delete_post',
    id: 'DELETE_POST',
    handler: static function (ToolInput $input) use (&$posts): ToolOutput {
        ['id' => $id] = $input->payload;
        $title = $posts[$id];
        unset($posts[$id]);
        return ToolOutput::ok(
            ['deleted' => $title],
            undoMetadata: ['id' => $id, 'title' => $title]
        );
    },
    inputSchema: [
        'type' => 'object',
        'required' => ['id'],
        'properties' => ['id' => ['type' => 'integer']],
    ],
    requiresApproval: true,
    approvalMessage: 'Delete the post for good?',
    undoable: true,
    undoHandler: static function (UndoMetadata $metadata) use (&$posts): void {
        ['id' => $id, 'title' => $title] = $metadata->undoData;
        $posts[$id] = $title;
    },
));

$file = (string) tempnam(sys_get_temp_dir(), 'tools');
$store = new Sqlite($file);
$executor = new Executor($registry, $store);
$executor->listen(static function (string $type, array $data): void {
    echo "  $type {$data['tool_name']}\n";
});

$reply = 'First <tool:list_posts>{}</tool>, then <tool:delete_post>{"id": 7}</tool>, '
    . '<tool:delete_post>{"id": "x"}</tool>.';
$waiting = [];
foreach ((new Detector())->detect($reply) as $call) {
    $execution = $executor->execute($call);
    echo $execution->state, ': ',
        $execution->error?->getMessage() ?? json_encode($execution->output?->data), "\n";
    if ($execution->state === 'waiting') {
        $waiting[] = $execution->id;
    }
}

// In another request, a person decides.
$approvals = new ApprovalService($store);
foreach ($approvals->pending() as $request) {
    echo "{$request->message} ", json_encode($request->payload), "\n";
    $approvals->decide($request->id, true, decidedBy: 'ann');
}

// In a third request, the runs go on and are undone.
foreach ($waiting as $id) {
    $execution = $executor->resume($id);
    echo "{$execution->state}: ", json_encode($execution->output->data), ', ', count($posts),
        " left\n";
    $executor->undo($id);
    echo count($posts), " again\n";
}

$store->close();
array_map('unlink', glob("$file*") ?: []);
