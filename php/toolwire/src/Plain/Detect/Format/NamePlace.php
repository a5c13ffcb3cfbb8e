<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

use Toolwire\Plain\Utf8;

/** Where a name or a key stands in the opening of a call or parameter. */
final class NamePlace
{
    /** Right behind the opening marker. */
    public const INLINE = 1;
    /** In an attribute. */
    public const ATTRIBUTE = 2;
    /** Behind a text, somewhere before the end of the opening. */
    public const AFTER = 3;
    /** In the opening marker, which is a tag of nothing but this name. */
    public const TAG = 4;

    private const NAMED = ['amp' => '&', 'lt' => '<', 'gt' => '>', 'quot' => '"', 'apos' => "'"];
    /** The longest character reference that is looked at, in bytes. */
    private const LONGEST = 12;

    /** @var int */
    public $kind;

    /** @var string the attribute, or the text in front of the name */
    public $text;

    public function __construct(int $kind, string $text = '')
    {
        $this->kind = $kind;
        $this->text = $text;
    }

    /** @param array<string, mixed> $definition */
    public static function of(array $definition): self
    {
        if (isset($definition['attribute'])) {
            return new self(self::ATTRIBUTE, $definition['attribute']);
        }
        return isset($definition['name_behind'])
            ? new self(self::AFTER, $definition['name_behind'])
            : new self(self::INLINE);
    }

    /** The name that is written there. An attribute's value may hold character references. */
    public function read(string $written): string
    {
        if ($this->kind !== self::ATTRIBUTE || strpos($written, '&') === false) {
            return $written;
        }
        $pattern = '/&([^&;]{1,' . (self::LONGEST - 1) . '});/s';
        return (string) preg_replace_callback($pattern, static function (array $found): string {
            return self::character($found[1]) ?? $found[0];
        }, $written);
    }

    /** The character that a reference names. */
    private static function character(string $reference): ?string
    {
        if ($reference[0] !== '#') {
            return self::NAMED[$reference] ?? null;
        }
        $hex = preg_match('/^#[xX]([0-9A-Fa-f]+)$/D', $reference, $digits) === 1;
        if (!$hex && preg_match('/^#([0-9]+)$/D', $reference, $digits) !== 1) {
            return null;
        }
        $code = $hex ? hexdec($digits[1]) : (int) $digits[1];
        $isOne = $code > 0 && $code <= 0x10FFFF && ($code < 0xD800 || $code > 0xDFFF);
        return $isOne ? Utf8::encode((int) $code) : null;
    }
}
