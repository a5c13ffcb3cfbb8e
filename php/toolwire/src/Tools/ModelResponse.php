<?php

declare(strict_types=1);

namespace Toolwire\Tools;

use Toolwire\Plain\Unsaved;

/**
 * What a model's server answered over HTTP, for an agent to read.
 *
 * The statuses 408, 409, 425, 5xx and 0 are passing, 429 and 529 ask to be left alone: the agent
 * tries again, twice at most. Any other one above 299 is a refusal.
 */
final class ModelResponse
{
    use Unsaved;

    /** @var int */
    private $status;

    /** @var string */
    private $body;

    /** @var int|null */
    private $retryAfter;

    public function __construct(int $status, string $body = '', ?int $retryAfter = null)
    {
        $this->status = $status >= 0 && $status <= 0xFFFF ? $status : 0;
        $this->body = $body;
        $this->retryAfter = $retryAfter !== null && $retryAfter >= 0 ? $retryAfter : null;
    }

    /**
     * @internal for an agent
     * @return array{int, string, int|null}
     */
    public function parts(): array
    {
        return [$this->status, $this->body, $this->retryAfter];
    }
}
