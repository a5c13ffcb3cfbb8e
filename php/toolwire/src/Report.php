<?php

declare(strict_types=1);

namespace Toolwire;

use Countable;
use Toolwire\Plain\Json\Writer;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Result\Budget;
use Toolwire\Plain\Result\Summary;
use Toolwire\Plain\Unsaved;

/** Results with their counts. `count()` is the number of results. */
final class Report implements Countable
{
    use Unsaved;

    /** @var list<ToolResult> */
    private $results = [];

    /** @var array{int, int, float} the results, those that succeeded, their confidences' sum */
    private $all = [0, 0, 0.0];

    /** @var array<array-key, array{int, int, float}> the same of each tool */
    private $tools = [];

    public function __construct()
    {
    }

    /** Adds a result. */
    public function add(ToolResult $result): void
    {
        $this->results[] = $result;
        self::tally($this->all, $result);
        if (!isset($this->tools[$result->tool])) {
            $this->tools[$result->tool] = [0, 0, 0.0];
        }
        self::tally($this->tools[$result->tool], $result);
    }

    /** The number of results. */
    public function count(): int
    {
        return $this->all[0];
    }

    /** The number of results that succeeded. */
    public function succeeded(): int
    {
        return $this->all[1];
    }

    /** The number of results that failed. */
    public function failed(): int
    {
        return $this->all[0] - $this->all[1];
    }

    /** The share that succeeded, from 0 to 1; null of no results. */
    public function successRate(): ?float
    {
        return self::figures($this->all)['success_rate'];
    }

    /** The mean confidence of the results that succeeded; null when none did. */
    public function meanConfidence(): ?float
    {
        return self::figures($this->all)['mean_confidence'];
    }

    /** @return array<array-key, array<string, mixed>> the counts of each tool, as they came */
    public function byTool(): array
    {
        return array_map([self::class, 'figures'], $this->tools);
    }

    /** @return list<ToolResult> the results, in the order they were added */
    public function results(): array
    {
        return $this->results;
    }

    /** The results as text for a prompt, within about so many tokens. */
    public function summary(?int $maxTokens = null): string
    {
        if ($maxTokens !== null && $maxTokens < 0) {
            throw Misuse::of('invalid_option', 'maxTokens must be at least 0');
        }
        $blocks = array_map([Summary::class, 'result'], $this->results);
        return $maxTokens === null
            ? Budget::whole($blocks)
            : (new Budget($blocks, $maxTokens))->text();
    }

    /**
     * One tool's data as text for a prompt, a line for each entry.
     *
     * @param mixed $data
     */
    public static function summarizeData($data): string
    {
        [$text, $lines] = Summary::lines($data);
        return $text . implode("\n", $lines);
    }

    /** @return array<string, mixed> the counts, those of each tool, and the results */
    public function toArray(): array
    {
        return $this->fields($this->byTool());
    }

    /** The same as JSON text, indented. */
    public function toJson(): string
    {
        return Writer::pretty($this->fields((object) $this->byTool()));
    }

    /**
     * @param array<array-key, mixed>|object $tools
     * @return array<string, mixed>
     */
    private function fields($tools): array
    {
        $results = array_map(static function (ToolResult $result): array {
            return $result->toArray();
        }, $this->results);
        return self::figures($this->all) + ['by_tool' => $tools, 'results' => $results];
    }

    /** @param array{int, int, float} $count */
    private static function tally(array &$count, ToolResult $result): void
    {
        $count[0]++;
        if ($result->success) {
            $count[1]++;
            $count[2] += $result->confidence;
        }
    }

    /**
     * @param array{int, int, float} $count
     * @return array<string, mixed>
     */
    private static function figures(array $count): array
    {
        [$total, $succeeded, $sum] = $count;
        return [
            'total' => $total,
            'succeeded' => $succeeded,
            'failed' => $total - $succeeded,
            'success_rate' => $total > 0 ? (float) $succeeded / $total : null,
            'mean_confidence' => $succeeded > 0 ? $sum / $succeeded : null,
        ];
    }
}
