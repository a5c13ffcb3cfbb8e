<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use stdClass;
use Toolwire\WordPress\Assistant\Ai_Messages;
use Toolwire\WordPress\Assistant\Tool_List;
use WordPress\AiClient\Messages\DTO\Message;
use WordPress\AiClient\Messages\DTO\MessagePart;
use WordPress\AiClient\Messages\DTO\ModelMessage;
use WordPress\AiClient\Messages\Enums\MessagePartChannelEnum;
use WordPress\AiClient\Providers\DTO\ProviderMetadata;
use WordPress\AiClient\Providers\Enums\ProviderTypeEnum;
use WordPress\AiClient\Providers\Models\DTO\ModelMetadata;
use WordPress\AiClient\Results\DTO\Candidate;
use WordPress\AiClient\Results\DTO\GenerativeAiResult;
use WordPress\AiClient\Results\DTO\TokenUsage;
use WordPress\AiClient\Results\Enums\FinishReasonEnum;
use WordPress\AiClient\Tools\DTO\FunctionCall;
use WordPress\AiClient\Tools\DTO\FunctionDeclaration;

use function Toolwire\WordPress\plugin;

/** Messages in the shape of WordPress' AI client, there and back. */
final class AiMessagesTest extends SiteTestCase
{
    protected function setUp(): void
    {
        if (!function_exists('wp_ai_client_prompt')) {
            self::markTestSkipped('WordPress 7.0 brought the AI client.');
        }
        parent::setUp();
    }

    /** @return array<string, mixed> The choice of a provider's answer. */
    private static function answer(Candidate ...$candidates): array
    {
        $provider = new ProviderMetadata('p', 'P', ProviderTypeEnum::cloud());
        $model = new ModelMetadata('m', 'M', [], []);
        $result = new GenerativeAiResult('', $candidates, new TokenUsage(3, 4, 7), $provider, $model);
        $answer = (new Ai_Messages())->answer($result, self::functions());
        self::assertSame(3, $answer['usage']['prompt_tokens']);
        self::assertSame(4, $answer['usage']['completion_tokens']);
        return $answer['choices'][0];
    }

    /** @return list<FunctionDeclaration> */
    private static function functions(): array
    {
        $object = ['type' => ['object', 'null']];
        $list = ['type' => 'array', 'items' => $object];
        $schema = ['type' => 'object', 'properties' => ['o' => $object, 'l' => $list, 'a' => ['type' => 'array']]];
        return [new FunctionDeclaration('three', '', $schema), new FunctionDeclaration('two', '')];
    }

    /** Providers decode arguments with arrays for objects. */
    public function testEmptyObjectsStayObjectsWhereTheSchemaSaysSo(): void
    {
        $arguments = ['o' => [], 'l' => [[], ['x' => []]], 'a' => [], 'unknown' => []];
        $call = new MessagePart(new FunctionCall('a', 'three', $arguments));
        $said = self::answer(self::candidate(FinishReasonEnum::toolCalls(), $call));
        self::assertSame(
            '{"o":{},"l":[{},{"x":[]}],"a":[],"unknown":[]}',
            $said['message']['tool_calls'][0]['function']['arguments']
        );
        $call = new MessagePart(new FunctionCall('a', 'two', ['n' => INF]));
        $said = self::answer(self::candidate(FinishReasonEnum::toolCalls(), $call));
        self::assertSame('[null]', $said['message']['tool_calls'][0]['function']['arguments']);
    }

    private static function candidate(FinishReasonEnum $ended, MessagePart ...$parts): Candidate
    {
        return new Candidate(new ModelMessage($parts), $ended);
    }

    /** As the provider of OpenAI gives it: each thing is a candidate of its own. */
    public function testCandidatesAreOneAnswer(): void
    {
        $thought = new MessagePart('Hm.', MessagePartChannelEnum::thought());
        $said = self::answer(
            self::candidate(FinishReasonEnum::stop(), $thought, new MessagePart('I look.')),
            self::candidate(FinishReasonEnum::toolCalls(), new MessagePart(new FunctionCall('a', 'one'))),
            self::candidate(
                FinishReasonEnum::toolCalls(),
                new MessagePart(new FunctionCall(null, 'two', ['n' => 1, 'f' => 'é/']))
            ),
        );
        self::assertSame(['Hm.', 'I look.', 'tool_calls'], [
            $said['message']['reasoning_content'], $said['message']['content'], $said['finish_reason'],
        ]);
        $calls = array_column($said['message']['tool_calls'], 'function', 'id');
        self::assertSame(['a', 'call_1'], array_keys($calls));
        self::assertSame(['one', '{}'], array_values($calls['a']));
        self::assertSame(['n' => 1, 'f' => 'é/'], json_decode($calls['call_1']['arguments'], true));
    }

    /** @return iterable<string, array{string, string}> */
    public static function ends(): iterable
    {
        yield 'too long' => ['length', 'length'];
        yield 'filtered' => ['contentFilter', 'content_filter'];
        yield 'an end' => ['stop', 'stop'];
    }

    /** @dataProvider ends */
    public function testItSaysHowTheAnswerEnded(string $made, string $reason): void
    {
        $said = self::answer(self::candidate(FinishReasonEnum::$made(), new MessagePart('x')));
        self::assertSame($reason, $said['finish_reason']);
    }

    public function testASignatureGoesBackWithItsCall(): void
    {
        $call = new MessagePart(new FunctionCall('a', 'one', ['x' => 1]), null, 'signed');
        $said = self::answer(self::candidate(FinishReasonEnum::toolCalls(), $call));
        $result = ['role' => 'tool', 'tool_call_id' => 'a', 'content' => '[]'];
        $history = (new Ai_Messages())->history([$said['message'], $result]);
        self::assertSame('signed', $history[0]->getParts()[0]->getThoughtSignature());
        self::assertSame(['x' => 1], (array) $history[0]->getParts()[0]->getFunctionCall()->getArgs());
        self::assertSame([], $history[1]->getParts()[0]->getFunctionResponse()->getResponse());
    }

    public function testEachCallIsAMessageWithItsResultBehindIt(): void
    {
        $call = static fn (string $id, string $arguments): array => [
            'id' => $id, 'type' => 'function', 'function' => ['name' => "tool_$id", 'arguments' => $arguments],
        ];
        $messages = [
            ['role' => 'system', 'content' => 'Be brief.'],
            ['role' => 'user', 'content' => 'Hello'],
            ['role' => 'assistant', 'content' => null, 'tool_calls' => [$call('a', '{}'), $call('b', '{"o":{}}')]],
            ['role' => 'tool', 'tool_call_id' => 'b', 'content' => '{"o":{}}'],
            ['role' => 'tool', 'tool_call_id' => 'a', 'content' => 'no JSON'],
            ['role' => 'assistant', 'content' => 'Done.', 'reasoning_content' => 'not told'],
            ['role' => 'user', 'content' => 'Again'],
        ];
        $shapes = new Ai_Messages();
        self::assertSame('Be brief.', $shapes->system($messages));
        $history = $shapes->history($messages);
        $roles = array_map(static fn (Message $one): string => $one->getRole()->value, $history);
        self::assertSame(['user', 'model', 'user', 'model', 'user', 'model', 'user'], $roles);
        foreach ($history as $message) {
            self::assertCount(1, $message->getParts());
        }
        $part = static fn (int $at): MessagePart => $history[$at]->getParts()[0];
        self::assertSame(['a', 'tool_a'], [
            $part(1)->getFunctionCall()->getId(), $part(2)->getFunctionResponse()->getName(),
        ]);
        self::assertSame('no JSON', $part(2)->getFunctionResponse()->getResponse());
        self::assertInstanceOf(stdClass::class, $part(3)->getFunctionCall()->getArgs()->o);
        self::assertEquals((object) ['o' => new stdClass()], $part(4)->getFunctionResponse()->getResponse());
        self::assertSame('Done.', $part(5)->getText());
    }

    public function testToolsAreFunctionsWithTheirSchemas(): void
    {
        $functions = (new Ai_Messages())->functions(
            new Tool_List(plugin()->engines()->get()->tools->offered(), '')
        );
        $found = [];
        foreach ($functions as $function) {
            $found[$function->getName()] = $function;
        }
        $schema = $found['update_post']->getParameters();
        self::assertSame(['object', ['post_id']], [$schema['type'], $schema['required']]);
        self::assertArrayHasKey('title', (array) $schema['properties']);
        self::assertNotSame('', $found['update_post']->getDescription());
        $bare = wp_json_encode($found['site_info']->getParameters());
        self::assertStringNotContainsString('"properties":[]', $bare);
    }
}
