<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use stdClass;
use Toolwire\Diff;
use Toolwire\DiffResult;

/** A case of `diff`: of texts, of JSON, of fields. */
final class DiffCase
{
    public function __construct(private stdClass $input)
    {
    }

    public function run(mixed $output): void
    {
        $found = $this->found();
        $shown = $found->toArray();
        $shown['changes'] = array_map(array_values(...), $shown['changes']);
        $shown['change_summary'] = $found->changeSummary();
        Assert::assertSame(Cases::arrays($output), $shown);
        Assert::assertSame($found->changeSummary() !== 'no changes', $found->hasChanges());
        Assert::assertSame(
            $shown['changes'],
            array_map(static fn ($line): array => array_values($line->toArray()), $found->changes)
        );
    }

    private function found(): DiffResult
    {
        $input = $this->input;
        if ($input->function === 'text') {
            return $this->ofTexts();
        }
        $more = $input->function === 'json' ? [] : ['ignore_keys'];
        Cases::fields($input, ['function', 'old', 'new'], $more);
        if ($input->function === 'json') {
            return Diff::json($input->old, $input->new);
        }
        $ignored = $input->ignore_keys ?? null;
        return Diff::structured((array) $input->old, (array) $input->new, $ignored);
    }

    private function ofTexts(): DiffResult
    {
        $input = $this->input;
        Cases::fields(
            $input,
            ['function', 'old', 'new'],
            ['type', 'context_lines', 'fromfile', 'tofile']
        );
        return Diff::text(
            $input->old,
            $input->new,
            $input->type ?? 'unified',
            $input->context_lines ?? 3,
            $input->fromfile ?? 'a/original',
            $input->tofile ?? 'b/modified',
        );
    }
}
