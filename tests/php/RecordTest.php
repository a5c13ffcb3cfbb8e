<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Exception;
use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Provider;
use Toolwire\Reader;
use Toolwire\Seen;
use Toolwire\ToolCall;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\Store\Memory;
use Toolwire\Transcript;

/** Objects as arrays, as JSON, serialised and exported. */
final class RecordTest extends TestCase
{
    public function testEveryClassIsTried(): void
    {
        $tried = array_unique(array_map(get_class(...), Records::objects()));
        self::assertEqualsCanonicalizing(Records::classes(), array_values($tried));
        self::assertGreaterThanOrEqual(8, count($tried));
    }

    public function testEveryObjectComesBack(): void
    {
        foreach (Records::objects() as $object) {
            $exported = eval('return ' . var_export(Records::record($object), true) . ';');
            $copies = [
                unserialize(serialize($object)),
                $object::fromArray(Records::record($object)),
                $object::fromArray($exported),
                eval('return ' . var_export($object, true) . ';'),
            ];
            foreach ($copies as $way => $copy) {
                self::assertSame($object::class, $copy::class);
                self::assertSame($object->toArray(), $copy->toArray(), $object::class . " $way");
                self::assertSame(
                    Records::record($object),
                    Records::record($copy),
                    $object::class . " $way"
                );
                self::assertTrue($object == $copy, $object::class . " $way");
                self::assertNotSame($object, $copy);
                self::assertSame($object->toArray(), unserialize(serialize($copy))->toArray());
            }
        }
    }

    public function testADetectionThatCameBackWorks(): void
    {
        $detection = Records::detection();
        $copy = unserialize(serialize([$detection, $detection->calls[0]]))[0];
        self::assertSame(['a', 'add', 'c'], array_column($copy->calls, 'name'));
        self::assertSame('arrow', $copy->calls[1]->format);
        self::assertSame($detection->text, $copy->text);
        self::assertSame(
            $detection->replace(static fn (ToolCall $call): string => $call->name),
            $copy->replace(static fn (ToolCall $call): string => $call->name)
        );
        self::assertSame(['missing_end'], array_column($copy->calls[2]->diagnostics, 'code'));
        self::assertSame($copy->calls[0], $copy->segments[1]->call);
        self::assertSame($detection->calls[0]->toHtml(), $copy->calls[0]->toHtml());
        self::assertSame(
            Provider::dump($detection->calls[0], 'openai'),
            Provider::dump($copy->calls[0], 'openai')
        );
    }

    public function testJsonHasTheArgumentsAsTheModelWroteThem(): void
    {
        $written = '{"o":{},"l":[],"n":{"0":1,"1":[{}]},"f":1.5,"i":9007199254740993,'
            . '"u":"\u00e9","":0,"\u0000x":1}';
        $call = (new Detector())->detect("<tool:a>$written</tool>")->calls[0];
        self::assertSame(
            array_keys($call->toArray()),
            array_keys((array) json_decode((string) json_encode($call), true))
        );
        self::assertStringContainsString("\"arguments\":$written,", (string) json_encode($call));
        self::assertStringContainsString("\"arguments\":$written,", $call->toJson());
        // Numbers that json_encode() cannot write.
        $written = '{"a":123456789012345678901,"b":1e400,"c":1.0,"d":1e2,"e":-0.0,"f":1,"f":2, '
            . '"g":-1e400}';
        $call = (new Detector())->detect("<tool:a>$written</tool> ")->calls[0];
        $encoded = '{"a":"123456789012345678901","b":"1e400","c":1.0,"d":100.0,"e":-0.0,"f":2,'
            . '"g":"-1e400"}';
        self::assertStringContainsString(
            $encoded,
            (string) json_encode($call, JSON_PRESERVE_ZERO_FRACTION)
        );
        self::assertStringContainsString("\"arguments\":$written,", $call->toJson());
        foreach (Records::detection()->calls as $call) {
            $exact = json_decode(
                $call->toJson(),
                true,
                512,
                JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING
            );
            self::assertSame(json_decode((string) json_encode($call), true)['id'], $exact['id']);
            self::assertSame($call->toArray(), $exact);
        }
    }

    public function testTheExampleOfTheDocsDoesWhatItSays(): void
    {
        $page = (string) file_get_contents(Cases::ROOT . '/docs/records.md');
        self::assertSame(1, preg_match_all('/```php\n(.*?)```/s', $page, $examples));
        self::assertGreaterThan(4, preg_match_all('~echo .*; +// (.*)$~m', $examples[1][0], $said));
        [$output, $status] = ToolsSafetyTest::php($examples[1][0]);
        self::assertSame([$said[1], 0], [explode("\n", $output), $status]);
    }

    public function testWhatIsAliveIsNotSerialised(): void
    {
        $alive = [
            new Detector(), (new Detector())->stream(), new Seen(), new Registry(), new Memory(),
            new Executor(new Registry()), new Reader(), Transcript::normalize(''),
            (new Detector())->stream()->feed('x')[0],
        ];
        foreach ($alive as $object) {
            $class = $object::class;
            foreach ([
                static fn () => serialize($object),
                static fn () => unserialize('O:' . strlen($class) . ":\"$class\":0:{}"),
            ] as $way) {
                try {
                    $way();
                    self::fail($class);
                } catch (Exception $error) {
                    self::assertStringContainsString(
                        "of '$class' is not allowed",
                        $error->getMessage()
                    );
                }
            }
        }
    }
}
