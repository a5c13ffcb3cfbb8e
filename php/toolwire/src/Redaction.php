<?php

declare(strict_types=1);

namespace Toolwire;

use Toolwire\Plain\Misuse;
use Toolwire\Plain\Redact\MaskedCopy;
use Toolwire\Plain\Redact\SecretNames;
use Toolwire\Plain\Redact\Strike;
use Toolwire\Plain\Unsaved;

/**
 * Masks secrets in values, by the names they stand under and by what they look like.
 *
 * A name marks a secret if it contains the words of a listed name in a row: `api_key` finds
 * `apiKey` and `X-API-KEY`.
 */
final class Redaction
{
    use Unsaved;

    /** @var SecretNames */
    private $names;

    private function __construct(SecretNames $names)
    {
        $this->names = $names;
    }

    /**
     * The default names, which cover those of WordPress, and the given names.
     *
     * @param ?list<string> $names
     */
    public static function withDefaults(?array $names = null): self
    {
        return new self(SecretNames::withDefaults(self::checked($names ?? [])));
    }

    /**
     * Only the given names. Texts that look like secrets are masked too.
     *
     * @param list<string> $names
     */
    public static function only(array $names): self
    {
        return new self(SecretNames::only(self::checked($names)));
    }

    /** Whether a value with this name is a secret. */
    public function hides(string $name): bool
    {
        return $this->names->hide(Plain\Utf8::lossy($name));
    }

    /**
     * A copy of a value. Values with the name of a secret, and texts that look like a secret, are
     * `[redacted]`.
     *
     * @param mixed $value
     * @return mixed
     */
    public function mask($value)
    {
        return (new MaskedCopy($this->names))->of($value, 1);
    }

    /** A text in which each part that looks like a secret is `[redacted]`. */
    public function maskText(string $text): string
    {
        return Strike::secrets($text, $this->names);
    }

    /**
     * @param array<array-key, mixed> $names
     * @return list<string>
     */
    private static function checked(array $names): array
    {
        foreach ($names as $name) {
            if (!is_string($name)) {
                $given = Misuse::typeName($name);
                throw Misuse::of('wrong_type', "each of names must be string, got $given");
            }
        }
        return array_values($names);
    }
}
