<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** Content of HTML in which no tags count: comments, and the raw text of some elements. */
final class HiddenContent
{
    /** The length of `<!` and `<?`. The end may follow at once: `<!-->` is a whole comment. */
    public const MARKUP = 2;

    private const COMMENT = 1;
    private const BOGUS_COMMENT = 2;
    private const RAW_TEXT = 3;
    private const RAW_ELEMENTS = ['script', 'style', 'textarea', 'title'];

    /** @var int */
    private $kind;

    /** @var string the name of the element whose raw text it is */
    private $name;

    private function __construct(int $kind, string $name = '')
    {
        $this->kind = $kind;
        $this->name = $name;
    }

    /** What the `<!` or `<?` at a place opens; null where the text ends in `<!--`. */
    public static function openedBy(string $text, int $at): ?self
    {
        $rest = substr($text, $at, 4);
        if ($rest !== '<!--' && strncmp('<!--', $rest, strlen($rest)) === 0) {
            return null;
        }
        return new self($rest === '<!--' ? self::COMMENT : self::BOGUS_COMMENT);
    }

    public static function bogusComment(): self
    {
        return new self(self::BOGUS_COMMENT);
    }

    /** The raw text that a start tag of this name opens, if any. */
    public static function openedByTag(string $name): ?self
    {
        $name = Tag::lower($name);
        return in_array($name, self::RAW_ELEMENTS, true) ? new self(self::RAW_TEXT, $name) : null;
    }

    public function isRawText(): bool
    {
        return $this->kind === self::RAW_TEXT;
    }

    /**
     * The offset from which tags count again, and true; or that at which to search on in a longer
     * text, and false. Only the text before `$reach` is looked at.
     *
     * @return array{int, bool}
     */
    public function end(string $text, int $pos, int $reach): array
    {
        if ($this->kind === self::COMMENT) {
            return self::commentEnd($text, $pos, $reach);
        }
        if ($this->kind === self::RAW_TEXT) {
            return $this->rawTextEnd($text, $pos, $reach);
        }
        $at = $pos < $reach ? $pos + strcspn($text, '>', $pos, $reach - $pos) : $reach;
        return $at < $reach ? [$at + 1, true] : [$reach, false];
    }

    /** @return array{int, bool} */
    private static function commentEnd(string $text, int $pos, int $reach): array
    {
        while ($pos < $reach) {
            $pos += strcspn($text, '-', $pos, $reach - $pos);
            if ($pos >= $reach) {
                break;
            }
            $here = substr($text, $pos, min(4, $reach - $pos));
            if (strncmp($here, '-->', 3) === 0 || $here === '--!>') {
                return [$pos + ($here === '--!>' ? 4 : 3), true];
            }
            if (strncmp('--!>', $here, strlen($here)) === 0) {
                return [$pos, false];
            }
            $pos++;
        }
        return [$reach, false];
    }

    /** @return array{int, bool} */
    private function rawTextEnd(string $text, int $pos, int $reach): array
    {
        $length = strlen($this->name) + 2;
        while ($pos < $reach) {
            $pos += strcspn($text, '<', $pos, $reach - $pos);
            if ($pos + $length >= $reach) {
                return [min($pos, $reach), false];
            }
            $tag = Tag::lower(substr($text, $pos, $length));
            $ends = strpos(" \t\n\f\r/>", $text[$pos + $length]) !== false;
            if ($ends && $tag === "</$this->name") {
                return [$pos, true];
            }
            $pos++;
        }
        return [$reach, false];
    }
}
