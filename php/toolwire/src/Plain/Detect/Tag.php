<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

/** One start or end tag of HTML: where it ends, and its attributes. */
final class Tag
{
    private const SPACE = " \t\n\r\f";

    /** @var int the byte behind the `>`; the length of the text where the tag is cut off */
    public $end;

    /** @var string as written */
    public $name = '';

    /** @var string|null what would complete a tag that the end of the text cuts off */
    public $closer = null;

    private function __construct(int $end)
    {
        $this->end = $end;
    }

    /** Reads the tag whose name begins at a place. */
    public static function read(string $text, int $nameStart): self
    {
        $pos = $nameStart + strcspn($text, self::SPACE . '/>', $nameStart);
        $name = substr($text, $nameStart, $pos - $nameStart);
        $length = strlen($text);
        $closer = '>';
        while ($pos < $length) {
            // Behind a name or a value that ended.
            $pos += strspn($text, self::SPACE . '/', $pos);
            if ($pos >= $length) {
                break;
            }
            if ($text[$pos] === '>') {
                $tag = new self($pos + 1);
                $tag->name = $name;
                return $tag;
            }
            [$pos, $closer] = self::attribute($text, $pos);
        }
        $tag = new self($length);
        $tag->closer = $closer;
        return $tag;
    }

    /**
     * Passes one attribute; the place behind it, and what would complete a cut tag.
     *
     * @return array{int, string}
     */
    private static function attribute(string $text, int $pos): array
    {
        // A name may begin with `=`.
        $pos += 1 + strcspn($text, self::SPACE . '/>=', $pos + 1);
        $pos += strspn($text, self::SPACE, $pos);
        if (($text[$pos] ?? '') !== '=') {
            return [$pos, '>'];
        }
        $pos++;
        $pos += strspn($text, self::SPACE, $pos);
        $quote = $text[$pos] ?? '';
        if ($quote === '"' || $quote === "'") {
            $end = strpos($text, $quote, $pos + 1);
            return $end === false ? [strlen($text), "$quote>"] : [$end + 1, '>'];
        }
        if ($quote !== '>') {
            $pos += strcspn($text, self::SPACE . '>', $pos);
        }
        return [$pos, '>'];
    }

    /** Whether a start tag of this name has no end tag. */
    public static function isVoid(string $name): bool
    {
        $void = [
            'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source',
            'track', 'wbr',
        ];
        return in_array($name, $void, true);
    }

    /** The name in lower case, whatever the locale. */
    public static function lower(string $text): string
    {
        return strtr($text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
    }
}
