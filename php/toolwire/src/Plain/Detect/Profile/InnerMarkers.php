<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Format\Marker;

/** The markers that may stand inside reasoning, and what ends it besides its own markers. */
final class InnerMarkers
{
    /** @var list<Marker> framing tokens in angle brackets; others may be words of the reasoning */
    public $tokens = [];

    /** @var list<Marker> the same, and the markers that open it: a model may repeat them */
    public $leading;

    /** @var list<Marker> the lines with which reasoning begins that lacks the token before them */
    public $names = [];

    /** @var ThoughtTags the tags that are written in another way than the style's own */
    public $tags;

    /** @param list<Marker> $frames the framing tokens of the message */
    public function __construct(ReasoningStyle $style, array $frames)
    {
        foreach ($frames as $frame) {
            $ends = $frame->lead[0] !== '<';
            foreach ($style->ending() as $marker) {
                $ends = $ends || strncmp($frame->lead, $marker->lead, strlen($marker->lead)) === 0;
            }
            if (!$ends) {
                $this->tokens[] = $frame;
            }
        }
        $this->tags = new ThoughtTags($style->close);
        $this->leading = array_merge($style->open, $this->tokens);
        foreach ($style->open as $long) {
            $name = self::channelName($long->written, $style->open);
            if ($name !== null) {
                $this->names[] = Marker::of($name);
            }
        }
    }

    /**
     * The line that stands in a marker behind another one: `thought` behind `<|channel>`.
     *
     * @param list<Marker> $open
     */
    private static function channelName(string $long, array $open): ?string
    {
        $name = '';
        foreach ($open as $short) {
            $length = strlen($short->written);
            $rest = (string) substr($long, $length);
            // Of rests of one length, the last one would count; they are the same.
            if (strncmp($long, $short->written, $length) === 0 && strlen($rest) > strlen($name)) {
                $name = $rest;
            }
        }
        return substr($name, -1) === "\n" ? $name : null;
    }

    /** The length of the longest of the tokens at a place; 0 for none. */
    public function longest(string $text, int $pos): int
    {
        $longest = 0;
        foreach ($this->tokens as $token) {
            // Most tags are no token: their first letters tell.
            if (($token->lead[1] ?? '') === ($text[$pos + 1] ?? '')) {
                $longest = max($longest, $token->at($text, $pos));
            }
        }
        return $longest;
    }
}
