<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use RuntimeException;
use stdClass;
use Toolwire\Tools\Store;

/**
 * Takes the steps of a case of `store` over one store. A version is written as the number of the
 * step that gave it.
 */
final class StoreCase
{
    /** A version that no entry has. */
    private const NEVER = 1 << 62;

    /** @var array<int, int> */
    private array $versions = [];

    public function __construct(private Store $store)
    {
    }

    public function run(stdClass $case): void
    {
        Cases::fields($case->input, ['steps'], []);
        Cases::fields($case->output, ['given'], []);
        $given = [];
        foreach ($case->input->steps as $number => $step) {
            $given[] = $this->take($number, $step);
        }
        Assert::assertSame(Cases::arrays($case->output->given), $given, $case->name);
    }

    private function take(int $number, array $step): mixed
    {
        $name = array_shift($step);
        if ($name === 'get') {
            $entry = $this->store->get(...$step);
            return $entry === null ? null : $this->written($entry);
        }
        if ($name === 'put') {
            [$key, $value, $expect, $expiresAt, $now] = $step;
            $value = Cases::text($value);
            $version = $this->store->put($key, $value, $this->expected($expect), $expiresAt, $now);
            if ($version === null) {
                return false;
            }
            Assert::assertGreaterThan(0, $version);
            Assert::assertNotContains($version, $this->versions, 'a version comes once');
            $this->versions[$number] = $version;
            return true;
        }
        if ($name === 'delete') {
            [$key, $expect, $now] = $step;
            return $this->store->delete($key, $this->expected($expect), $now);
        }
        if ($name === 'scan') {
            return array_map(
                fn (array $entry): array => [$entry['key'], ...$this->written($entry)],
                $this->store->scan(...$step)
            );
        }
        if ($name === 'purge') {
            return $this->store->purge(...$step);
        }
        throw new RuntimeException("an unknown step $name");
    }

    private function expected(string|int $expect): ?int
    {
        return match ($expect) {
            'any' => null,
            'absent' => 0,
            default => $this->versions[$expect] ?? self::NEVER,
        };
    }

    /**
     * @param array{value: string, version: int, expires_at: ?int} $entry
     * @return array{mixed, int, ?int}
     */
    private function written(array $entry): array
    {
        $step = array_search($entry['version'], $this->versions, true);
        Assert::assertIsInt($step, 'the version is one that the store gave');
        $value = preg_match('/^[ -~]*$/D', $entry['value']) === 1
            ? $entry['value']
            : ['$base64' => base64_encode($entry['value'])];
        return [$value, $step, $entry['expires_at']];
    }
}
