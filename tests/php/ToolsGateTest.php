<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use DomainException;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Tools\Exception\InvalidToolInput;
use Toolwire\Tools\Exception\ToolDenied;
use Toolwire\Tools\Exception\ToolRateLimited;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;

/** The checks that a call has to pass: mode, permission, schema, rate limit. */
final class ToolsGateTest extends ToolsRunTestCase
{
    public function testTheModeIsCheckedBeforeApproval(): void
    {
        $execution = $this->runTool(
            self::tool(null, allowedModes: ['doc_edit'], requiresApproval: true)
        );
        $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
        [, $denied] = $this->told[1];
        self::assertSame(self::DENIED, array_keys($denied));
        self::assertSame(
            ['mode_not_allowed', 'chat', ['doc_edit']],
            array_slice(array_values($denied), 5)
        );
        self::assertSame('denied', $execution->state);
        self::assertInstanceOf(ToolDenied::class, $execution->error);
        self::assertSame(
            "Tool 'edit' denied: it may not run in the mode 'chat', only in: doc_edit",
            $execution->error->getMessage()
        );
        self::assertSame(['doc_edit'], $execution->error->toArray()['allowed_modes']);
    }

    public function testPermissionIsAskedWithTheInputAndTheTool(): void
    {
        $asked = [];
        $tool = self::tool(null, capability: 'edit_posts');
        $permission = static function (
            ToolInput $input,
            ToolDefinition $asking,
        ) use (&$asked): bool {
            $asked[] = [$input->payload, $asking->capability];
            return true;
        };
        self::assertSame(
            'completed',
            $this->runTool($tool, ['a' => 1], permission: $permission)->state
        );
        self::assertSame([[['a' => 1], 'edit_posts']], $asked);
        foreach ([
            [static fn () => false, 'the caller may not run it'],
            [static fn () => 'not yours', 'not yours'],
            [null, "there is no check for the capability 'edit_posts'"],
        ] as [$permission, $reason]) {
            $this->told = [];
            $execution = $this->runTool($tool, [], permission: $permission);
            $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
            self::assertSame([...self::DENIED, 'detail'], array_keys($this->told[1][1]));
            self::assertSame(
                ['permission_denied', $reason],
                [$this->told[1][1]['reason'], $this->told[1][1]['detail']]
            );
            self::assertSame('permission_denied', $execution->error->getKind());
            self::assertSame("Tool 'edit' denied: $reason", $execution->error->getMessage());
        }
        foreach ([
            static fn () => throw new DomainException('x'),
            static fn () => 5,
        ] as $permission) {
            $execution = $this->runTool($tool, [], permission: $permission);
            self::assertSame('failed', $execution->state);
            self::assertNotNull($execution->error->getPrevious());
        }
    }

    public function testThePayloadIsCheckedAgainstTheSchema(): void
    {
        $schema = [
            'type' => 'object',
            'required' => ['id'],
            'properties' => ['id' => ['type' => 'integer']],
        ];
        $tool = self::tool(null, inputSchema: $schema, requiresApproval: true);
        $execution = $this->runTool($tool, ['id' => 'seven']);
        $this->assertTold(['tool.invoked', 'tool.denied'], $execution);
        self::assertSame([...self::DENIED, 'problems'], array_keys($this->told[1][1]));
        self::assertInstanceOf(InvalidToolInput::class, $execution->error);
        self::assertSame('/id', $execution->error->toArray()['problems'][0]['path']);
        self::assertStringNotContainsString('seven', $execution->error->getMessage());
        self::assertSame(
            'invalid_input',
            $this->runTool($tool)->error->getKind(),
            'an empty payload is an object'
        );
        self::assertSame('waiting', $this->runTool($tool, ['id' => 7])->state);
        $bad = $this->runTool($tool, ['id' => "\xff"]);
        self::assertSame(['failed', 'raised'], [$bad->state, $bad->error->getKind()]);
        self::assertInstanceOf(InvalidArgument::class, $bad->error->getPrevious());
    }

    public function testRateLimitsAreByCaller(): void
    {
        $executor = $this->executor(self::tool(null, rateLimit: [2, 60]));
        $run = static fn (string $caller): string => $executor->execute(
            ['type' => 'EDIT'],
            ['caller' => $caller]
        )->state;
        self::assertSame(
            ['completed', 'completed', 'denied', 'completed'],
            array_map($run, ['a', 'a', 'a', 'b'])
        );
        $error = $executor->execute(['type' => 'EDIT'], ['caller' => 'a'])->error;
        self::assertInstanceOf(ToolRateLimited::class, $error);
        self::assertGreaterThan(20.0, $error->toArray()['retry_after']);
        self::assertMatchesRegularExpression(
            '/rate limited, try again in (2|30)\d*\.\d{3} s$/',
            $error->getMessage()
        );
        self::assertSame('rate_limited', end($this->told)[1]['reason']);
        $other = $this->executor(self::tool(null, rateLimit: [2, 60]));
        self::assertSame(
            'denied',
            $other->execute(['type' => 'EDIT'], ['caller' => 'a'])->state,
            'the store counts'
        );
    }
}
