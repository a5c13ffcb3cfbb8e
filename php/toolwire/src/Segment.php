<?php

declare(strict_types=1);

namespace Toolwire;

use JsonSerializable;
use Toolwire\Plain\Fields;
use Toolwire\Plain\ReadOnlyFields;
use Toolwire\Plain\Record;
use Toolwire\Plain\Span;

/**
 * A part of a text: the markup of a call, or the text between calls.
 *
 * @property-read string $type `text`, `reasoning`, `call` or `frame`
 * @property-read string $text the part of the text, verbatim; of a call its markup
 * @property-read array{start: int, end: int} $span where it stands
 * @property-read ToolCall|null $call the call, of a segment of type `call`
 */
final class Segment implements JsonSerializable
{
    use ReadOnlyFields;
    use Record;

    private const FIELDS = ['type', 'text', 'span', 'call'];

    private function __construct()
    {
    }

    /** @internal for a detection */
    public static function of(string $type, string $input, Span $span, ?ToolCall $call = null): self
    {
        return self::filled([
            'type' => $type,
            'text' => $span->of($input),
            'span' => $span->toArray(),
            'call' => $call,
        ]);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $call = $this->fields['call'];
        return array_merge($this->fields, ['call' => $call === null ? null : $call->toArray()]);
    }

    /** @return array<string, mixed> */
    private static function read(Fields $fields): array
    {
        [$text, $span] = [$fields->bytes('text'), $fields->span('span')];
        if (strlen($text) !== $span->length()) {
            throw $fields->error('text', 'as long as the span says');
        }
        $call = $fields->value('call');
        $call = $call === null ? null : $fields->object('call', ToolCall::class, $call);
        $type = $fields->word('type', ['text', 'reasoning', 'call', 'frame']);
        if (($type === 'call') !== ($call !== null)) {
            throw $fields->error('type', 'call where there is one, else another');
        }
        return ['type' => $type, 'text' => $text, 'span' => $span->toArray(), 'call' => $call];
    }
}
