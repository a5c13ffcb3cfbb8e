<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Detector;
use Toolwire\WordPress\Assistant\Model;
use Toolwire\WordPress\Settings;

use function Toolwire\WordPress\plugin;

/** The setting `grammar`: what a server gets that holds the model to a grammar. */
final class ModelGrammarTest extends ConversationTestCase
{
    private const CALL = "<tool_call>\n{\"name\": \"site_info\", \"arguments\": {}}\n</tool_call>";

    /** @var list<array<string, mixed>> The bodies that the server got. */
    private array $bodies = [];

    protected function setUp(): void
    {
        parent::setUp();
        add_filter('pre_http_request', function ($given, array $request): array {
            $body = json_decode($request['body'], true);
            $this->bodies[] = $body;
            $said = count($this->bodies) === 1 ? self::CALL : 'Done.';
            $message = ['role' => 'assistant', 'content' => $said];
            return [
                'headers' => [],
                'body' => json_encode(['choices' => [['message' => $message]]]),
                'response' => ['code' => 200, 'message' => 'OK'],
                'cookies' => [],
            ];
        }, 10, 2);
    }

    protected function tearDown(): void
    {
        remove_all_filters('pre_http_request');
        parent::tearDown();
    }

    /** @return array<string, mixed> The conversation about a text, which the server answers. */
    private function asked(string $grammar, string $model = 'qwen2.5-7b-instruct'): array
    {
        $this->settings([
            'model_address' => 'http://127.0.0.1:9/v1',
            'model' => $model,
            'grammar' => $grammar,
        ]);
        return self::step(self::begin('What is this site?'));
    }

    /** @return iterable<string, array{string, string, list<string>}> */
    public static function grammars(): iterable
    {
        yield 'vLLM' => ['structural_tag', 'response_format', ['skip_special_tokens']];
        yield 'llama.cpp' => ['gbnf', 'grammar', []];
    }

    /**
     * @dataProvider grammars
     * @param list<string> $more
     */
    #[\PHPUnit\Framework\Attributes\DataProvider('grammars')]
    public function testTheServerGetsTheGrammarAndNoTools(
        string $grammar,
        string $name,
        array $more,
    ): void {
        $shown = $this->asked($grammar);
        self::assertSame(['idle', 'completed'], [$shown['state'], $shown['calls'][0]['state']]);
        self::assertSame('Done.', end($shown['parts'])['text']);
        self::assertCount(2, $this->bodies);
        foreach ($this->bodies as $body) {
            self::assertSame([], array_intersect(['tools', 'tool_choice'], array_keys($body)));
            self::assertSame([], array_diff([$name, ...$more], array_keys($body)));
            self::assertStringContainsString('site_info', (string) json_encode($body[$name]));
            self::assertSame('system', $body['messages'][0]['role']);
            $system = $body['messages'][0]['content'];
            self::assertStringContainsString('You can call tools.', $system);
            $roles = array_unique(array_column($body['messages'], 'role'));
            self::assertSame([], array_diff($roles, ['system', 'user', 'assistant']));
        }
        $given = Detector::constrain(
            plugin()->engines()->get()->tools->for_detector(),
            'qwen2.5-7b-instruct',
            backend: $grammar
        );
        self::assertSame(
            array_keys($given->request),
            array_values(array_intersect(array_keys($this->bodies[0]), array_keys($given->request)))
        );
    }

    public function testWithoutTheSettingTheServerGetsTheTools(): void
    {
        $this->asked('none');
        self::assertNotSame([], $this->bodies[0]['tools']);
        $grammars = ['response_format', 'grammar', 'skip_special_tokens'];
        self::assertSame([], array_intersect($grammars, array_keys($this->bodies[0])));
        self::assertSame('none', Settings::DEFAULTS['grammar']);
    }

    public function testAModelThatIsNotKnownWritesTheFormThatItIsTold(): void
    {
        $this->asked('gbnf', 'a-model-of-my-own');
        self::assertStringContainsString('<tool_call>', $this->bodies[0]['grammar']);
        self::assertStringContainsString('<tool_call>', $this->bodies[0]['messages'][0]['content']);
    }

    public function testTheTextShowsTheFormatThatTheGrammarTakes(): void
    {
        // A name with a dash has no place in the first format of Llama 3.2, which is Python.
        $register = static fn ($tools) => $tools->register('test_dashed', [
            'capability' => 'read',
            'callback' => '__return_empty_array',
            'input_schema' => [
                'type' => 'object',
                'properties' => ['post-id' => ['type' => 'integer']],
                'required' => ['post-id'],
            ],
        ]);
        $limits = static fn (array $limits): array => ['steps' => 1] + $limits;
        add_filter('toolwire_conversation_limits', $limits);
        add_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        try {
            $this->asked('gbnf', 'llama-3.2-3b-instruct');
        } finally {
            remove_action('toolwire_register_tools', $register);
            plugin()->engines()->reset();
        }
        foreach ($this->bodies as $body) {
            $system = $body['messages'][0]['content'];
            self::assertStringContainsString('test_dashed', $system);
            self::assertStringNotContainsString('[site_info()]', $system);
            self::assertMatchesRegularExpression('/\{"name": "\w+", "parameters": [^`]*\z/', $system);
        }
        self::assertNotSame([], $this->bodies);
    }

    public function testAtTheLimitNoCallCanBeWritten(): void
    {
        $limits = static fn (array $limits): array => ['steps' => 1] + $limits;
        add_filter('toolwire_conversation_limits', $limits);
        $this->asked('gbnf');
        self::assertCount(2, $this->bodies);
        self::assertStringContainsString('site_info', $this->bodies[0]['grammar']);
        self::assertStringNotContainsString('site_info', $this->bodies[1]['grammar']);
    }

    public function testAModelWithoutAGrammarIsAFailureThatIsTold(): void
    {
        $shown = $this->asked('gbnf', 'kimi-vl-a3b-instruct');
        self::assertSame(['failed', []], [$shown['state'], $this->bodies]);
        self::assertStringContainsString('kimi_vl', (string) get_transient(Model::FAILURE));
        $this->as('admin');
        plugin()->assistant()->model_test()->run();
        $outcome = plugin()->assistant()->model_test()->outcome();
        self::assertSame('toolwire_no_grammar', $outcome['failure'] ?? $outcome);
        self::assertStringContainsString('kimi_vl', $outcome['details']);
    }
}
