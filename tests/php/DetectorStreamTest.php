<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\TestCase;
use Toolwire\Detector;
use Toolwire\Event;
use Toolwire\Exception\InvalidState;

/** A stream of a detector: its events, and when it takes nothing more. */
final class DetectorStreamTest extends TestCase
{
    public function testStreams(): void
    {
        $stream = (new Detector())->stream();
        $pieces = ['a <tool:o', 'ne>{"x', '":1}</tool> b <tool:two>no</tool>'];
        $events = array_merge(...array_map([$stream, 'feed'], $pieces));
        array_push($events, ...$stream->finish());
        $of = static fn (string $type): array =>
            array_values(
                array_filter($events, static fn (Event $event): bool => $event->type === $type)
            );
        [$start, $end] = [$of('call_start')[0], $of('call_end')[0]];
        self::assertSame([0, 'one'], [$start->number, $start->name]);
        self::assertSame('{"x":1}', implode('', array_column($of('arguments_delta'), 'json')));
        self::assertSame(['x' => 1], $end->call->arguments);
        self::assertSame('<tool:one>{"x":1}</tool>', $end->call->original);
        self::assertSame(
            'a  b <tool:two>no</tool>',
            implode('', array_column($of('text'), 'text'))
        );
        self::assertSame('bad_json', $of('rejection')[0]->rejection->code);
        foreach (['json', 'text', 'call', 'rejection'] as $other) {
            self::assertNull($start->$other);
        }
        foreach (['number', 'name', 'json', 'call', 'rejection'] as $other) {
            self::assertNull($of('text')[0]->$other);
        }
        self::assertCount(1, $stream->detection());
        foreach ([fn () => $stream->feed('x'), fn () => $stream->finish()] as $late) {
            try {
                $late();
                self::fail('nothing was thrown');
            } catch (InvalidState $error) {
                self::assertSame('stream_finished', $error->getKind());
            }
        }
        try {
            (new Detector())->stream()->detection();
            self::fail('nothing was thrown');
        } catch (InvalidState $error) {
            self::assertSame('stream_open', $error->getKind());
        }
    }

    public function testACallThatIsRefusedIsRetracted(): void
    {
        $stream = (new Detector())->stream();
        $events = [
            ...$stream->feed('<tool:one>{"x":1'),
            ...$stream->feed(',nothing}'),
            ...$stream->finish(),
        ];
        $ends = array_filter(
            $events,
            static fn (Event $event): bool => $event->type === 'call_retracted'
        );
        self::assertCount(1, $ends);
        self::assertSame([0, null], [current($ends)->number, current($ends)->call]);
        self::assertSame('<tool:one>{"x":1,nothing}', implode('', array_column($events, 'text')));
        self::assertContains('rejection', array_column($events, 'type'));
    }
}
