<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Toolwire\Plain\Json\Plain;
use Toolwire\Plain\Misuse;
use Toolwire\Redaction;
use Toolwire\Tools\ToolOutput;

/** What a tool gave as the model is shown it: within a bound, and without secrets. */
final class Shown
{
    public const MOST_BYTES = 262144;

    private const LEAST_BYTES = 256;

    private const MOST_MESSAGE = 16384;

    /** The members of a failure's data that stand beside its message. */
    private const ERROR_KEYS = ['code', 'data'];

    /** @var int */
    private $most;

    /** @var Redaction */
    private $redaction;

    public function __construct(?int $most, ?Redaction $redaction)
    {
        if ($most !== null && $most < self::LEAST_BYTES) {
            $message = 'max_bytes must be at least ' . self::LEAST_BYTES . ", not $most";
            throw Misuse::of('invalid_option', $message);
        }
        $this->most = $most ?? self::MOST_BYTES;
        $this->redaction = $redaction ?? Redaction::withDefaults();
    }

    /** @return array{bool, mixed, ?string} whether it succeeded, its data, its error */
    public function of(string $tool, ToolOutput $output): array
    {
        $named = $tool === '' ? 'The tool' : "Tool '$tool'";
        $read = Plain::objects($output->data);
        if (!$output->success) {
            return $this->failure("$named failed", (string) $output->error, $read[0] ?? null);
        }
        if ($read === null) {
            $why = "$named ran, but what it gave cannot be shown: it is not JSON. "
                . 'Do not repeat the call.';
            return [true, $why, null];
        }
        if ($read[0] === null || $read[0] === '') {
            return [true, "$named ran and gave no data.", null];
        }
        return [true, $this->data($read[0], $this->most), null];
    }

    /**
     * @param mixed $data
     * @return array{bool, mixed, string}
     */
    private function failure(string $default, string $error, $data): array
    {
        $error = self::bounded(
            \Toolwire\Plain\Utf8::lossy($this->redaction->maskText($error)),
            min($this->most, self::MOST_MESSAGE)
        );
        $left = max(self::LEAST_BYTES, $this->most - strlen($error));
        $data = $data === null ? new stdClass() : $this->data($data, $left);
        return [false, $data, $error === '' ? $default : $error];
    }

    /**
     * @param mixed $data
     * @return mixed
     */
    private function data($data, int $most)
    {
        $masked = $this->redaction->mask($data);
        $text = is_string($masked) ? $masked : Plain::line($masked);
        return strlen($text) <= $most ? $masked : self::bounded($text, $most);
    }

    /**
     * Data as the text of a message.
     *
     * @param mixed $data
     */
    public static function text($data): string
    {
        if (!is_string($data)) {
            return Plain::line($data);
        }
        $read = Plain::read($data);
        $isRead = $read !== null
            && (is_array($read[0]) || is_object($read[0]) || Plain::line($read[0]) === $data);
        return $isRead ? Plain::line($data) : $data;
    }

    /** A failure as the text of a message. */
    public static function error(stdClass $result): string
    {
        $error = ['error' => (string) $result->error];
        $members = $result->data instanceof stdClass ? get_object_vars($result->data) : null;
        if ($members === null) {
            $error['data'] = $result->data;
        } elseif (isset($members['code']) && self::isOfError($members)) {
            $error += $members;
        } elseif ($members !== []) {
            $error['data'] = $result->data;
        }
        return Plain::line((object) $error);
    }

    /** @param array<array-key, mixed> $members */
    private static function isOfError(array $members): bool
    {
        return array_diff(array_map('strval', array_keys($members)), self::ERROR_KEYS) === [];
    }

    /** A text of at most so many bytes; one that is cut says so at its end. */
    private static function bounded(string $text, int $most): string
    {
        if (strlen($text) <= $most) {
            return $text;
        }
        $mark = "\n[cut: the whole is longer than $most bytes]";
        $end = max(0, $most - strlen($mark));
        while ($end > 0 && (ord($text[$end]) & 0xC0) === 0x80) {
            $end--;
        }
        return substr($text, 0, $end) . $mark;
    }
}
