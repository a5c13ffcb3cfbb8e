<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Span;

/** Code within a line: text between two runs of as many backticks. It ends with its line. */
final class CodeSpans
{
    /** The run of backticks from which on a run is plain text. */
    private const LONGEST_RUN = 64;

    private const OF_LANGUAGES
        = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+#.-';

    /** @var string */
    private $text;

    /** @var int the end of the line; before it every run is known */
    private $lineEnd = 0;

    /** @var array<int, int> for each length, the start of the last run of this length */
    private $last = [];

    public function __construct(string $text)
    {
        $this->text = $text;
    }

    /**
     * What the run of backticks at a place opens: a code block (null), the content of code, or the
     * place at which the search goes on.
     *
     * @return Span|int|null
     */
    public function read(int $start, bool $mayFence)
    {
        $text = $this->text;
        $length = strspn($text, '`', $start);
        $content = $start + $length;
        if ($length >= self::LONGEST_RUN) {
            return $content;
        }
        if ($length >= 3 && $mayFence) {
            if ($this->opensBlock($content)) {
                return null;
            }
        } elseif ($content < $this->lineEnd && ($this->last[$length] ?? -1) < $content) {
            return $content;
        }
        return $this->content($content, $length);
    }

    /** Whether at most the name of a language stands in the rest of the line. */
    private function opensBlock(int $pos): bool
    {
        $pos += strspn($this->text, self::OF_LANGUAGES, $pos);
        $pos += strspn($this->text, " \t\r", $pos);
        return ($this->text[$pos] ?? '') === "\n";
    }

    /** @return Span|int */
    private function content(int $content, int $length)
    {
        $pos = $content;
        $runs = [];
        while (true) {
            $pos += strcspn($this->text, "`\n", $pos);
            if (($this->text[$pos] ?? "\n") === "\n") {
                [$this->lineEnd, $this->last] = [$pos, $runs];
                return $content;
            }
            $run = strspn($this->text, '`', $pos);
            if ($run === $length) {
                return new Span($content, $pos);
            }
            $runs[$run] = $pos;
            $pos += $run;
        }
    }
}
