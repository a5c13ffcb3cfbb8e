<?php

/**
 * Asks the classes for assistants, whoever brings them, and writes the answers as JSON:
 * `php [-d extension=…] questions.php SEED`.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Tools;

use Throwable;
use Toolwire\Detector;
use Toolwire\Redaction;
use Toolwire\Text;
use Toolwire\Tools\Agent;
use Toolwire\Tools\AgentLimits;
use Toolwire\Tools\Executor;
use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\RateLimiter;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolOutput;

if (!extension_loaded('toolwire')) {
    require __DIR__ . '/../bootstrap.php';
}
error_reporting(E_ALL);
require __DIR__ . '/texts.php';
require __DIR__ . '/scripts.php';
require __DIR__ . '/schemas.php';

/** @return mixed what a function gives, or the exception that it throws */
function asked(callable $function)
{
    try {
        return $function();
    } catch (Throwable $thrown) {
        $kind = method_exists($thrown, 'getKind') ? $thrown->getKind() : '';
        return [get_class($thrown), $kind, $thrown->getMessage()];
    }
}

/** @return array<string, mixed> */
function texts(): array
{
    $redactions = [Redaction::withDefaults(['iban']), Redaction::only(['x_y'])];
    $answers = [];
    foreach (some_texts() as $text) {
        $answers['visible'][] = base64_encode(Text::visible($text));
        foreach ($redactions as $number => $redaction) {
            $masked = $redaction->maskText($text);
            $answers["masked $number"][] = [base64_encode($text), base64_encode($masked)];
        }
    }
    foreach (some_names() as $name) {
        foreach ($redactions as $number => $redaction) {
            $answers["hides $number"][$name] = $redaction->hides($name);
        }
    }
    foreach (some_values() as $value) {
        $answers['mask'][] = serialize($redactions[0]->mask($value));
    }
    return $answers;
}

/** @return array<string, mixed> */
function tools(): array
{
    $registry = some_tools();
    $answers = ['given' => $registry->toProvider('openai'), 'count' => count($registry)];
    $names = array_column(array_column($answers['given'], 'function'), 'name');
    $more = ['wpab__core__get-info', 'old', 'a.b', 'nothing', 'LIST', ''];
    foreach (array_merge($names, $more) as $name) {
        $found = $registry->get($name);
        $answers['found'][$name] = $found === null ? null : $found->id;
    }
    foreach ($registry->list() as $tool) {
        $answers['tools'][] = $tool->toArray();
    }
    foreach ([[0, 1.0], [1, 0.0], ['x', 1]] as $limit) {
        $answers['limits'][] = asked(static function () use ($limit): string {
            new ToolDefinition('a', 'a', 'strlen', '', null, null, false, null, false, null, null,
                null, null, $limit);
            return 'made';
        })[1] ?? 'made';
    }
    $run = static function (): ToolOutput {
        return ToolOutput::ok();
    };
    $wrong = ['api' => ['opnai', null], 'no api' => ["\xFF", null], 'redact' => ['openai', 'x']];
    foreach ($wrong as $what => [$api, $redact]) {
        $answers['wrong'][$what] = asked(static function () use ($api, $redact, $run): string {
            new Agent('strlen', 'm', new Executor(new Registry()), '', $api, null, null, 'ask',
                null, null, $redact, false, $run);
            return 'made';
        });
    }
    $answers['wrong']['provider'] = asked(static function () use ($registry): array {
        return $registry->toProvider('opnai');
    });
    $answers['outputs'] = [
        ToolOutput::ok(['a' => 1])->toArray(), ToolOutput::fail('no', [1])->toArray(),
        ToolOutput::ok(null, [1], ['u' => 2])->toArray(),
    ];
    $limiter = new RateLimiter(new Memory(), 3, 3600.0);
    for ($call = 0; $call < 5; $call++) {
        $checked = $limiter->check('a/b', 'user:1');
        $checked['retry_after'] = (int) round($checked['retry_after'] / 100);
        $answers['rate'][] = $checked;
    }
    return $answers;
}

/**
 * One conversation by a script.
 *
 * @param array<string, mixed> $script
 * @return array<string, mixed>
 */
function conversation(array $script): array
{
    $store = new Memory();
    $replies = $script['replies'];
    $told = ['bodies' => [], 'events' => [], 'ran' => []];
    $client = static function (array $body) use (&$replies, &$told) {
        $told['bodies'][] = $body;
        $reply = array_shift($replies) ?? 'No more.';
        return is_string($reply)
            ? ['choices' => [['message' => ['role' => 'assistant', 'content' => $reply]]]]
            : $reply;
    };
    $run = static function (string $name, string $json, string $id, string $at) use (&$told) {
        $told['ran'][] = [$name, $json, $id, $at];
        return some_output($name, (array) json_decode($json, true));
    };
    $agent = new Agent(
        $client,
        'the model',
        new Executor(some_tools(), $store),
        'Be short.',
        'openai',
        $script['limits'] ?? new AgentLimits(),
        isset($script['model']) ? new Detector(null, null, null, null, null, null, null, null,
            null, null, null, null, null, null, null, null, null, $script['model'])
            : new Detector('auto'),
        'ask',
        ['temperature' => 0],
        $script['bytes'] ?? 300,
        null,
        false,
        $run
    );
    $listener = static function (string $type, array $data) use (&$told): void {
        $told['events'][] = [$type, $data];
    };
    foreach ($script['texts'] as $text) {
        $answer = asked(static function () use ($agent, $text, $listener) {
            return $agent->run($text, 'chat/7', null, $listener);
        });
        $told['answers'][] = is_array($answer) ? $answer : [
            $answer->state, $answer->text, $answer->reasoning, $answer->cutOff, $answer->reason,
            $answer->inputTokens, $answer->outputTokens, $answer->waiting,
        ];
    }
    $told['again'] = asked(static function () use ($agent) {
        return $agent->events('chat/7');
    });
    $told['list'] = [$agent->list(), $agent->list(0), $agent->list(5, 'chat/7')];
    $told['kept'] = array_map(static function (array $entry): array {
        $value = preg_replace('/"took_ms":\d+/', '"took_ms":0', $entry['value']);
        return [$entry['key'], $value];
    }, $store->scan('agent/', null, 1000, 0));
    $told['forgotten'] = [$agent->forget('chat/7'), $agent->forget('chat/7'), $agent->list()];
    return $told;
}

mt_srand((int) ($argv[1] ?? 1));
$answers = ['texts' => texts(), 'tools' => tools(), 'schemas' => schemas(),
    'patterns' => patterns(), 'permitted' => permitted()];
foreach (some_scripts() as $name => $script) {
    $answers["conversation: $name"] = conversation($script);
}
$flags = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
    | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;
// Ids that a detector has made are random.
$made = [];
$numbered = static function (array $id) use (&$made): string {
    $made[$id[0]] = $made[$id[0]] ?? count($made) + 1;
    return 'made ' . $made[$id[0]];
};
$json = json_encode($answers, $flags);
echo preg_replace_callback('/call_[0-9A-Za-z]{24}\b/', $numbered, $json), "\n";
