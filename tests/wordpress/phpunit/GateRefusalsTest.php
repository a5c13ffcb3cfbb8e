<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

/** Tries to run gated abilities that WordPress refuses. */
final class GateRefusalsTest extends GateTestCase
{
    public function testRefusedTriesAreRowsOfTheLogAndQuestionsAreNot(): void
    {
        $ability = $this->ability();
        $subscriber = $this->as('subscriber');
        $ability->check_permissions(['text' => 'a']);
        self::assertSame([], self::rows());
        $input = ['text' => 'a', 'password' => 'hunter2'];
        self::assertCode('ability_invalid_permissions', $ability->execute($input));
        if (self::isOld()) {
            self::assertSame([], self::rows());
            return;
        }
        $row = self::rows()[0];
        self::assertSame(
            ['refused', 'ability', (string) $subscriber, $ability->get_name(), 'permission_denied'],
            [$row['state'], $row['origin'], $row['user_id'], $row['tool'], $row['error_code']]
        );
        self::assertStringNotContainsString('hunter2', $row['arguments']);
        self::assertStringContainsString('"text":"a"', $row['arguments']);
        for ($try = 0; $try < 12; $try++) {
            $ability->execute($input);
        }
        self::assertCount(10, self::rows(), 'the log is bounded');
        self::assertCode('ability_invalid_input', $ability->execute([]));
        $ability->check_permissions(['text' => 'a']);
        self::assertCount(10, self::rows());
    }

    public function testARefusalThatCannotBeRecordedThrowsNothing(): void
    {
        $ability = $this->ability();
        $this->as('subscriber');
        $fail = static fn () => throw new \RuntimeException('no');
        add_filter('toolwire_gate_ability', $fail);
        self::assertCode('ability_invalid_permissions', $ability->execute(['text' => 'a']));
        remove_filter('toolwire_gate_ability', $fail);
        self::assertSame([], self::rows());
    }
}
