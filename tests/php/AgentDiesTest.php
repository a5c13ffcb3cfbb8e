<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use RuntimeException;
use Toolwire\Tools\Agent;
use Toolwire\Tools\AgentAnswer;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;

/** A conversation whose request dies at any operation of its store goes on in another one. */
final class AgentDiesTest extends TestCase
{
    /** @var list<string> */
    private array $ran = [];
    private string $told = '';

    private function agent(ArrayStore $store): array
    {
        $registry = new Registry();
        foreach (['note' => false, 'wipe' => true] as $name => $asks) {
            $handler = function () use ($name): string {
                $this->ran[] = $name;
                return "{$name}d";
            };
            $registry->register(new ToolDefinition($name, $name, $handler, requiresApproval: $asks));
        }
        $executor = new Executor($registry, $store);
        $model = function (array $body): array {
            $results = array_values(array_filter($body['messages'], static fn ($one) => $one['role'] === 'tool'));
            $message = ['role' => 'assistant', 'content' => null];
            if ($results === []) {
                foreach (['note', 'wipe'] as $name) {
                    $function = ['name' => $name, 'arguments' => '{}'];
                    $message['tool_calls'][] = ['id' => $name, 'type' => 'function', 'function' => $function];
                }
            } else {
                self::assertSame(['note', 'wipe'], array_column($results, 'tool_call_id'));
                $message['content'] = $this->told = implode(' ', array_column($results, 'content'));
            }
            return ['choices' => [['message' => $message]]];
        };
        return [new Agent($model, 'm', $executor, interrupted: 'tell'), $executor];
    }

    private function begins(ArrayStore $store): void
    {
        [$agent, $executor] = $this->agent($store);
        $agent->run('Note and wipe.', 'chat');
        $answer = $agent->run(conversation: 'chat');
        $executor->approve((string) $answer->waiting[0]->approvalId);
        $agent->run(conversation: 'chat');
    }

    private static function endLeases(ArrayStore $store): void
    {
        $now = (int) (microtime(true) * 1e6);
        foreach ($store->scan('', null, 1000, $now) as $entry) {
            $record = json_decode($entry['value']);
            if (isset($record->lease->until)) {
                $record->lease->until = '2020-01-01T00:00:00Z';
                $written = (string) json_encode($record, JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_SLASHES);
                $store->put($entry['key'], $written, $entry['version'], $entry['expires_at'], $now);
            }
        }
    }

    /** Goes on as the next request does: with the text if the conversation never began. */
    private function goesOn(ArrayStore $store): AgentAnswer
    {
        [$agent, $executor] = $this->agent($store);
        for ($step = 0; $step < 6; $step++) {
            try {
                $answer = $agent->run(conversation: 'chat');
            } catch (AgentException $unknown) {
                self::assertSame('unknown_conversation', $unknown->getKind());
                $answer = $agent->run('Note and wipe.', 'chat');
            }
            if ($answer->state !== 'waiting') {
                return $answer;
            }
            foreach ($answer->waiting as $run) {
                if ($run->state === 'waiting') {
                    $executor->approve((string) $run->approvalId);
                } else {
                    self::endLeases($store);
                }
            }
        }
        self::fail('the conversation does not end');
    }

    public function testARequestThatDiesAtAnyOperationLosesNothing(): void
    {
        $deaths = 0;
        do {
            $this->ran = [];
            $left = $deaths;
            $store = new ArrayStore(static function () use (&$left): void {
                if ($left-- <= 0) {
                    throw new RuntimeException('the request has died');
                }
            });
            set_error_handler(static fn (): bool => true);
            try {
                $this->begins($store);
                $died = false;
            } catch (RuntimeException) {
                $died = true;
                $deaths++;
            } finally {
                restore_error_handler();
            }
            $store->before = null;
            $answer = $this->goesOn($store);
            self::assertSame('done', $answer->state);
            self::assertSame(array_unique($this->ran), $this->ran, "a handler ran twice after $deaths");
            // A handler that was about to start may have run, for all that the next request knows.
            $unknown = substr_count($this->told, 'was interrupted');
            self::assertLessThanOrEqual(1, $unknown, $this->told);
            self::assertGreaterThanOrEqual(2, count($this->ran) + $unknown, $this->told);
        } while ($died);
        self::assertGreaterThan(20, $deaths);
    }
}
