<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use Exception;
use Throwable;
use Toolwire\Redaction;
use Toolwire\Text;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\ModelResponse;
use Toolwire\Plain\Json\Plain;

/** Why a model gave no response, and whether another try may succeed. */
final class Failure extends Exception
{
    private const RETRIES = 2;

    private const LONGEST_PAUSE = 30.0;

    private const MOST_WORDS = 400;

    private const MESSAGES = [
        'model_unreachable' => 'the model could not be reached: ',
        'model_refused' => 'the model\'s server refused the request: ',
        'model_limited' => 'the model\'s server limits requests: ',
    ];

    /** @var string */
    private $kind;

    /** @var int|null */
    private $seconds;

    private function __construct(string $kind, string $words, ?int $seconds)
    {
        parent::__construct(self::withoutSecrets($words));
        $this->kind = $kind;
        $this->seconds = $seconds;
    }

    /**
     * The response of a server, decoded.
     *
     * @return mixed
     * @throws self
     */
    public static function response(ModelResponse $response)
    {
        [$status, $body, $after] = $response->parts();
        if ($status === 0) {
            throw new self('model_unreachable', $body === '' ? 'no response' : $body, null);
        }
        $read = Plain::exact($body)[0] ?? null;
        if ($status >= 200 && $status < 300) {
            return $read;
        }
        $words = self::words($read) ?? 'no reason is given';
        throw new self(self::kindOf($status), "$words (HTTP $status)", $after);
    }

    /** The exception for a program that does not try again. */
    public function exception(): AgentException
    {
        $after = $this->seconds === null ? '' : " (try again in $this->seconds s)";
        $after = $this->kind === 'model_limited' ? $after : '';
        $message = self::MESSAGES[$this->kind] . $this->getMessage() . $after;
        return AgentException::of($this->kind, Text::visible($message));
    }

    /** After how many seconds the request may be sent again; null to give up. */
    public function pause(int $tries): ?float
    {
        if ($tries >= self::RETRIES || $this->kind === 'model_refused') {
            return null;
        }
        $pause = $this->kind === 'model_limited'
            ? (float) ($this->seconds ?? 1 << $tries)
            : 0.25 * (1 << $tries);
        return $pause <= self::LONGEST_PAUSE ? $pause : null;
    }

    /** The beginning of a server's words, without what looks like a secret. */
    public static function withoutSecrets(string $words): string
    {
        $masked = Redaction::withDefaults()->maskText($words);
        $masked = \Toolwire\Plain\Utf8::lossy($masked);
        $end = min(strlen($masked), self::MOST_WORDS);
        while ($end < strlen($masked) && (ord($masked[$end]) & 0xC0) === 0x80) {
            $end--;
        }
        return substr($masked, 0, $end);
    }

    /** @param mixed $read */
    public static function words($read): ?string
    {
        $error = $read->error ?? null;
        $all = [$error->message ?? null, $read->message ?? null, $error, $read->detail ?? null];
        foreach ($all as $one) {
            if (is_string($one)) {
                return $one;
            }
        }
        return null;
    }

    private static function kindOf(int $status): string
    {
        if ($status === 429 || $status === 529) {
            return 'model_limited';
        }
        $passes = $status < 300 || $status >= 500 || in_array($status, [408, 409, 425], true);
        return $passes ? 'model_unreachable' : 'model_refused';
    }
}
