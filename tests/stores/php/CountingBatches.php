<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use Closure;
use Toolwire\Tools\BatchStore;
use Toolwire\Tools\WholeBatchStore;

/** A store with batches that counts its calls, and the operations in them. */
final class CountingBatches extends CountingStore implements WholeBatchStore
{
    /** @param ?Closure(): array $answers what it answers to a batch in the place of the store */
    public function __construct(BatchStore $store, private readonly ?Closure $answers = null)
    {
        parent::__construct($store);
    }

    public function batch(array $changes, int $now): array
    {
        $made = $this->answers === null ? $this->store->batch($changes, $now) : ($this->answers)();
        return $this->count($made, count($made));
    }
}
