<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use stdClass;
use Toolwire\Entry;
use Toolwire\Patch;
use Toolwire\Reader;
use Toolwire\ToolResult;
use Toolwire\Transcript;

/** A case of the topic `transcript`: reads a log whole, and in pieces. */
final class TranscriptCase
{
    private const FIELDS = [
        'entries', 'patches', 'actions', 'arguments_raw', 'durations', 'results', 'pending',
        'session_id', 'dialect', 'account', 'about',
    ];

    public function __construct(private stdClass $input, private stdClass $output)
    {
    }

    public function run(): void
    {
        Cases::fields($this->input, ['log'], ['stderr', 'worktree', 'dialect', 'faithful']);
        $log = Cases::text($this->input->log);
        $shared = [
            'worktree' => $this->input->worktree ?? null,
            'dialect' => $this->input->dialect ?? 'auto',
            'faithful' => $this->input->faithful ?? false,
        ];
        $found = Transcript::normalize($log, ...$shared, stderr: $this->input->stderr ?? null);
        Cases::fields($this->output, ['told'], self::FIELDS);
        foreach (get_object_vars($this->output) as $field => $expected) {
            Assert::assertSame(Cases::arrays($expected), $this->found($field, $found), $field);
        }
        $this->checkPieces($found, new Reader(...$shared), $log === '' ? [] : str_split($log, 7));
    }

    private function found(string $field, Transcript $found): mixed
    {
        return match ($field) {
            'told' => array_map(self::told(...), $found->entries),
            'entries' => array_map(
                static fn (Entry $entry): array => $entry->toArray(),
                $found->entries
            ),
            'patches' => array_map(
                static fn (Patch $patch): string => "$patch->op $patch->path",
                $found->patches
            ),
            'actions' => array_map(static fn (Entry $call): ?array => $call->action, $found->calls),
            'arguments_raw' => array_map(
                static fn (Entry $call): ?string => $call->argumentsRaw,
                $found->calls
            ),
            'durations' => array_map(
                static fn (Entry $call): ?int => $call->duration,
                $found->calls
            ),
            'results' => array_map(self::result(...), $found->toResults()),
            'pending' => array_map(static fn (Entry $call): ?string => $call->id, $found->pending),
            'session_id' => $found->sessionId,
            'dialect' => $found->dialect,
            'account' => array_intersect_key(
                $found->account,
                Cases::arrays($this->output->account)
            ),
            'about' => array_map(
                static fn (Entry $entry): ?array => $entry->about,
                $found->entries
            ),
        };
    }

    /** @return list<?string> an entry in short: type, content, and a call's tool and status */
    private static function told(Entry $entry): array
    {
        $short = [$entry->type, $entry->content];
        return $entry->type === 'tool_use' ? [...$short, $entry->toolName, $entry->status] : $short;
    }

    /** @return array<string, mixed> */
    private static function result(ToolResult $result): array
    {
        $fields = ['tool' => $result->tool, 'success' => $result->success, 'data' => $result->data];
        return $fields + (
            $result->errorMessage === null ? [] : ['error_message' => $result->errorMessage]
        );
    }

    /** @param list<string> $pieces */
    private function checkPieces(Transcript $whole, Reader $reader, array $pieces): void
    {
        $patches = array_merge(...array_map($reader->feedPiece(...), $pieces));
        array_push($patches, ...$reader->finish());
        $written = static fn (array $patches): array => array_map(
            static fn (Patch $patch) => $patch->toArray(),
            $patches
        );
        Assert::assertSame(
            array_slice($written($whole->patches), 0, count($patches)),
            $written($patches)
        );
        Assert::assertSame($whole->account, $reader->account);
    }
}
