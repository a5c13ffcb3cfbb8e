<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Toolwire\Detector;
use Toolwire\Redaction;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolOutput;

/** The input of a run: actions, detected and resolved calls, payloads and their summary. */
final class ToolsPayloadTest extends ToolsRunTestCase
{
    public function testSecretsAreLeftOut(): void
    {
        $payload = [
            'password' => 'a', 'deep' => [['apiKey' => 'b', 'ok' => 1]],
            'text' => str_repeat('ä', 300), 'pins' => 4,
        ];
        $this->runTool(self::tool(), $payload + ['list' => range(1, 100)]);
        self::assertSame([
            'password' => '[redacted]', 'deep' => [['apiKey' => '[redacted]', 'ok' => 1]],
            'text' => str_repeat('ä', 200) . '...', 'pins' => 4, 'list' => '<list with 100 items>',
        ], $this->told[0][1]['payload_summary']);
        $this->told = [];
        $this->runTool(self::tool(), ['password' => 'a', 'pins' => 4], redact: ['pins']);
        self::assertSame(
            ['password' => 'a', 'pins' => '[redacted]'],
            $this->told[0][1]['payload_summary']
        );
        foreach ([
            [Redaction::withDefaults(['pins']), '[redacted]'],
            [Redaction::only(['pins']), 'a'],
        ] as [$redact, $shown]) {
            $this->told = [];
            $this->runTool(self::tool(), ['password' => 'a', 'pins' => 4], redact: $redact);
            self::assertSame(
                ['password' => $shown, 'pins' => '[redacted]'],
                $this->told[0][1]['payload_summary']
            );
        }
    }

    public function testAnArrayThatHoldsItselfIsCounted(): void
    {
        $payload = [];
        $payload['self'] = &$payload;
        self::assertSame(
            'completed',
            $this->runTool(self::tool(static fn () => ToolOutput::ok()), $payload)->state
        );
        self::assertSame('<dict with 1 items>', $this->told[0][1]['payload_summary']['self']);
    }

    public function testDetectedAndResolvedCallsAreActions(): void
    {
        $executor = $this->executor(self::tool());
        [$call] = (new Detector())->detect('<tool:edit>{"n":1}</tool>')->calls;
        self::assertSame(['n' => 1], $executor->execute($call)->output->data['got']);
        $registry = new Registry();
        $registry->register(self::tool());
        [[$resolved, $detected]] = $registry->parseAndResolve([
            ['id' => 'c9', 'name' => 'edit'],
            $call,
        ]);
        $execution = $executor->execute($resolved);
        self::assertSame(['got' => []], $execution->output->data);
        self::assertNotSame('c9', $execution->id, 'what a model wrote is no id of a run');
        self::assertSame($execution->id, $executor->execute($resolved)->id);
        self::assertSame(['n' => 1], $detected->arguments);
        self::assertSame($call, $detected->raw);
    }

    public function testArgumentsThatAreTextAreJson(): void
    {
        $registry = new Registry();
        $registry->register(self::tool());
        $calls = array_map(
            static fn (string $text): array =>
                ['id' => 'c', 'name' => 'edit', 'arguments' => $text],
            [
                '{"a":"x\ud800","l":[{},-0]}',
                '{"a":-}',
                '{"a":01}',
                "{\"a\":\"\t\"}",
                "{\"a\":\"\xff\"}",
                '{"l":[1e999]}',
            ],
        );
        [$resolved, $unresolved] = $registry->parseAndResolve($calls);
        // Half of a surrogate pair is no character.
        self::assertSame(
            [['a' => "x\u{fffd}", 'l' => [[], 0]]],
            array_column($resolved, 'arguments')
        );
        self::assertCount(5, $unresolved);
        self::assertStringContainsString('not finite', $unresolved[4]->error);
        self::assertStringContainsString('not a number at byte 5', $unresolved[0]->error);
    }

    public function testTheSchemaSeesADetectedCallAsItWasWritten(): void
    {
        $schema = [
            'type' => 'object',
            'properties' => ['options' => ['type' => 'object'], 'big' => ['type' => 'integer']],
        ];
        $executor = $this->executor(self::tool(inputSchema: $schema));
        foreach ([
            '{"options":{},"big":12345678901234567890}' => 'completed',
            '{"options":[]}' => 'denied',
        ] as $json => $state) {
            [$call] = (new Detector())->detect("<tool:edit>$json</tool>")->calls;
            self::assertSame($state, $executor->execute($call)->state, $json);
        }
    }
}
