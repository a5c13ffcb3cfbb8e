<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Exception\ToolwireThrowable;
use Toolwire\Tools\Agent;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;

/** Agents whose server holds the model to a grammar: the bodies that it gets. */
final class AgentGrammarTest extends TestCase
{
    private const MODEL = 'qwen2.5-7b-instruct';
    private const CALL = '<tool_call>{"name": "wipe", "arguments": {"disk": 7}}</tool_call>';

    /** @var list<array<string, mixed>> */
    private array $asked = [];

    private function agent(?array $constrain, string $api = 'openai', ?string $model = null): Agent
    {
        $schema = ['type' => 'object', 'properties' => ['disk' => ['type' => 'integer']]];
        $wipe = static fn ($input): string => "wiped {$input->payload['disk']}";
        $registry = new Registry();
        $registry->register(
            new ToolDefinition('wipe', 'WIPE', $wipe, 'Wipes a disk', inputSchema: $schema)
        );
        $client = function (array $body): array {
            $this->asked[] = $body;
            $said = count($this->asked) === 1 ? self::CALL : 'Wiped.';
            return ['choices' => [['message' => ['role' => 'assistant', 'content' => $said]]]];
        };
        return new Agent(
            $client,
            $model ?? self::MODEL,
            new Executor($registry),
            api: $api,
            options: ['temperature' => 0],
            constrain: $constrain
        );
    }

    public function testEachRequestHasTheGrammarAndNoTools(): void
    {
        $answer = $this->agent(['backend' => 'gbnf'])->run('Wipe disk 7.', 'chat');
        self::assertSame(['done', 'Wiped.'], [$answer->state, $answer->text]);
        self::assertCount(2, $this->asked);
        foreach ($this->asked as $body) {
            self::assertSame($this->asked[0]['grammar'], $body['grammar']);
            self::assertSame(0, $body['temperature']);
            self::assertSame([], array_intersect(['tools', 'tool_choice'], array_keys($body)));
            self::assertStringContainsString('"name": "wipe"', $body['messages'][0]['content']);
        }
        self::assertSame('wiped 7', end($this->asked[1]['messages'])['content']);
        $schema = ['type' => 'object', 'properties' => ['disk' => ['type' => 'integer']]];
        $tools = [['name' => 'wipe', 'parameters' => $schema]];
        $given = Detector::constrain($tools, self::MODEL, backend: 'gbnf');
        self::assertSame($given->grammar, $this->asked[0]['grammar']);
    }

    public function testOptionsAreNamedAsTheArgumentsOfConstrain(): void
    {
        $options = ['backend' => 'lark', 'specialTokens' => ['<tool_call>' => 7], 'server' => null];
        $this->agent($options)->run('Wipe disk 7.', 'chat');
        $grammar = $this->asked[0]['structured_outputs']['grammar'];
        self::assertStringContainsString('<[7]>', $grammar);
        $this->asked = [];
        $this->agent([])->run('Wipe disk 7.', 'chat');
        self::assertSame('structural_tag', $this->asked[0]['response_format']['type']);
        self::assertFalse($this->asked[0]['skip_special_tokens']);
        $this->asked = [];
        $this->agent(null)->run('Wipe disk 7.', 'chat');
        self::assertArrayHasKey('tools', $this->asked[0]);
        self::assertArrayNotHasKey('response_format', $this->asked[0]);
        self::assertArrayNotHasKey('skip_special_tokens', $this->asked[0]);
    }

    public function testWhatDoesNotGoTogetherIsRefusedAtOnce(): void
    {
        foreach ([
            'invalid_option' => fn () => $this->agent(['toolChoice' => 'required']),
            'unknown_option' => fn () => $this->agent(['colour' => 'red']),
            'unknown_model' => fn () => $this->agent([], model: 'nobody-knows-it'),
            'wrong_type' => fn () => $this->agent(['backend' => 1]),
        ] as $kind => $make) {
            try {
                $make();
                self::fail("$kind was expected");
            } catch (ToolwireThrowable $error) {
                self::assertSame($kind, $error->getKind());
            }
        }
        $this->expectExceptionMessage('the requests of ollama take no grammar');
        $this->agent([], 'ollama');
    }
}
