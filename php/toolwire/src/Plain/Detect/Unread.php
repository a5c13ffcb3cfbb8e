<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;
use Toolwire\Plain\Utf8;

/** What a detector of a few formats did not read: calls of any format, and damaged ones. */
final class Unread
{
    /** @var Config|null the options of every form */
    private static $automatic = null;

    /**
     * The fields of a rejection for each; the text is searched again.
     *
     * @param list<Span> $read where that detector found something
     * @return list<array<string, mixed>>
     */
    public static function of(string $text, array $read): array
    {
        self::$automatic = self::$automatic ?? new Config(new Options([]));
        $findings = Engine::find(self::$automatic, $text);
        $lines = new LineCounter();
        $left = $starts = $places = [];
        foreach ($findings->calls as $call) {
            [$line, $column] = $lines->at($text, $call->span->start);
            $left[] = [
                'code' => 'other_format',
                'message' => "this is a call of the format \"$call->format\", which was not read",
                'span' => $call->span,
                'line' => $line,
                'column' => $column,
                'excerpt' => Findings::excerpt($text, $call->span),
                'format' => $call->format,
            ];
        }
        foreach ($findings->rejections as $rejection) {
            if ($rejection['code'] === 'malformed') {
                $left[] = $rejection;
            }
        }
        $left = array_values(array_filter($left, static function (array $one) use ($read): bool {
            return !self::isRead($one['span'], $read);
        }));
        foreach ($left as $place => $one) {
            $starts[] = $one['span']->start;
            $places[] = $place;
        }
        // The sort of PHP 7.4 does not keep the order of what is equal.
        array_multisort($starts, $places, $left);
        return $left;
    }

    /** @param list<Span> $read */
    private static function isRead(Span $span, array $read): bool
    {
        foreach ($read as $one) {
            if ($one->start < $span->end && $span->start < $one->end) {
                return true;
            }
        }
        return false;
    }
}
