<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ArrayObject;
use PHPUnit\Framework\TestCase;
use ReflectionParameter;
use stdClass;
use Toolwire\Exception\WrongType;
use Toolwire\Redaction;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use TypeError;

/** Values without their secrets, as PHP code makes them. */
final class RedactionTest extends TestCase
{
    private static function token(): string
    {
        return 'ghp_' . str_repeat('a1B2', 9);
    }

    public function testNamesAreDefaultOnesWithOthersOrOthersAlone(): void
    {
        self::assertTrue(Redaction::withDefaults()->hides('X-API-KEY'));
        self::assertFalse(Redaction::withDefaults()->hides('customerIban'));
        $more = Redaction::withDefaults(['iban']);
        self::assertTrue(
            $more->hides('customerIban')
                && $more->hides('user_pass')
                && $more->hides("password\xff")
        );
        $only = Redaction::only(['iban']);
        self::assertTrue($only->hides('IBAN'));
        self::assertFalse($only->hides('password'));
        $this->expectException(WrongType::class);
        Redaction::only(['iban', 1]);
    }

    public function testWhatIsMaskedIsElseAsItWas(): void
    {
        $redaction = Redaction::withDefaults();
        foreach ([
            '{"a":[],"b":{},"c":[{}],"1":2,"":3}', '{"0":1,"1":2}', '[]', '{}', '"x"', '1.0',
            'null',
        ] as $json) {
            $value = json_decode($json);
            self::assertEquals($value, $redaction->mask($value));
            self::assertSame(
                $json,
                json_encode($redaction->mask($value), JSON_PRESERVE_ZERO_FRACTION)
            );
        }
        $bytes = ["a\xff" => "\xfe", "a\xfe" => 1.5, 7 => null, "\0k" => true];
        self::assertSame($bytes, $redaction->mask($bytes));
        $masked = $redaction->mask([
            'user' => ['pwd' => ['x'], 'n' => 1],
            'list' => ['Use ' . self::token() . ' here'],
        ]);
        self::assertSame(
            ['user' => ['pwd' => '[redacted]', 'n' => 1], 'list' => ['Use [redacted] here']],
            $masked
        );
        self::assertSame('Use [redacted].', $redaction->maskText('Use ' . self::token() . '.'));
        self::assertSame("\xff", $redaction->maskText("\xff"));
    }

    public function testNoKeyTakesThePlaceOfAnother(): void
    {
        $value = [self::token() => 1, self::token() . 'b' => 2, '[redacted] 2' => 3];
        $expected = ['[redacted]' => 1, '[redacted] 3' => 2, '[redacted] 2' => 3];
        self::assertSame($expected, Redaction::withDefaults()->mask($value));
        $many = [];
        for ($number = 0; $number < 20000; $number++) {
            $many[sprintf('ghp_%036d', $number)] = $number;
        }
        self::assertCount(20000, Redaction::withDefaults()->mask($many));
    }

    public function testWhatIsMaskedIsACopy(): void
    {
        $inner = new stdClass();
        $inner->token = 'x';
        $value = ['a' => $inner, 'b' => new ArrayObject(['token' => 'x'])];
        $value['self'] = &$value;
        $masked = Redaction::withDefaults()->mask($value);
        self::assertSame('x', $inner->token);
        self::assertSame('[redacted]', $masked['a']->token);
        self::assertSame('<ArrayObject>', $masked['b']);
        self::assertStringContainsString(
            'items>',
            serialize($masked),
            'a value that holds itself ends'
        );
    }

    public function testAnExecutorTakesARedaction(): void
    {
        $redact = new ReflectionParameter([Executor::class, '__construct'], 'redact');
        self::assertSame('Toolwire\Redaction|array|null', (string) $redact->getType());
        $this->expectException(TypeError::class);
        $this->expectExceptionMessage('of type Toolwire\Redaction|array|null, int given');
        new Executor(new Registry(), redact: 5);
    }
}
