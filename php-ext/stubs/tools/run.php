<?php

/** Stubs of runs of tools, and limits of their rate. */

namespace Toolwire\Tools {
    use Toolwire\ToolCall;

    /**
     * Limits the calls in a period, for each tool and caller.
     *
     *     $limiter = new Toolwire\Tools\RateLimiter(new Toolwire\Tools\Store\Memory(), 1, 60.0);
     *     echo json_encode($limiter->check('search', 'user 7')['allowed']); // true
     *     echo json_encode($limiter->check('search', 'user 7')['allowed']); // false
     *     echo json_encode($limiter->check('search', 'user 8')['allowed']); // true
     */
    final class RateLimiter
    {
        public function __construct(Store $store, int $count, float $seconds)
        {
        }

        /**
         * @return array{allowed: bool, remaining: int, retry_after: float} with the seconds until
         *     the next call
         */
        public function check(string $tool, string $caller = ''): array
        {
        }
    }

    /** What became of a run. */
    final class Execution
    {
        /** The id of the run: what {@see Executor::resume()} and {@see Executor::undo()} take. */
        public readonly string $id;
        /**
         * `waiting` for a person, `approved` and to be taken up by {@see Executor::resume()},
         * `running` when another request has it, `interrupted` when the request that ran its
         * handler died, `completed`, `undone` after that, `failed`, `denied`, or `expired` when
         * nobody decided in time.
         */
        public readonly string $state;
        /** The tool's name; null where there is none. */
        public readonly ?string $tool;
        /** The handler's output, for success or failure. */
        public readonly ?ToolOutput $output;
        /** Why there is no output. */
        public readonly ?Exception\ToolException $error;
        /** The request for approval, if a person was asked. */
        public readonly ?string $approvalId;
        /**
         * @var list<array{type: string, data: array<string, mixed>}> the events of this run in this
         *     request
         */
        public readonly array $events;
        /**
         * Why the store does not have the output of a run that completed: `not_json`, `too_long`,
         * `withheld`; else null.
         */
        public readonly ?string $outputGap;
        /**
         * Why the handler was cut off last, as far as somebody has found that: `lease_over`,
         * `exit`, `fatal` or `timed_out`; else null.
         *
         * @var array{code: string, detail: ?string, seen_at: string, attempt: int}|null
         */
        public readonly ?array $interruption;
        /**
         * Why the store does not have the end of a run that this request has ended, which is
         * `interrupted` for others; else null.
         */
        public readonly ?string $notKept;

        private function __construct()
        {
        }

        /** Whether the handler returned a successful output. */
        public function succeeded(): bool
        {
        }

        /**
         * @return array<string, mixed> every field, by its name in snake case; of the error its
         *     message
         */
        public function toArray(): array
        {
        }
    }

    /**
     * Runs the tools of a registry.
     *
     *     $registry = new Toolwire\Tools\Registry();
     *     $greet = static function ($input) {
     *         $text = "Hello, {$input->payload['name']}!";
     *         return Toolwire\Tools\ToolOutput::ok(['text' => $text]);
     *     };
     *     $registry->register(new Toolwire\Tools\ToolDefinition('greet', 'GREET', $greet));
     *     $executor = new Toolwire\Tools\Executor($registry);
     *     $execution = $executor->execute(['type' => 'GREET', 'payload' => ['name' => 'Ada']]);
     *     echo $execution->state, ': ', $execution->output->data['text']; // completed: Hello, Ada!
     */
    final class Executor
    {
        /**
         * @param ?Store $store where runs that wait, approvals, undo data and rate limits live;
         *     without one, they live as long as the executor
         * @param ?callable(ToolInput, ToolDefinition): (bool|string) $permission asked before every
         *     run, and again after a person approved: true, or false or a reason
         * @param float $approvalTimeout the seconds that a person has to decide
         * @param float $undoTtl the seconds for which a run may be undone
         * @param \Toolwire\Redaction|list<string>|null $redact what events and approvals leave out:
         *     a redaction, or keys in place of the usual ones
         * @param ?callable(ToolInput, ToolDefinition): mixed $changes says what a run would change
         *     now, as a value that JSON can say: a person approves it with the arguments
         * @param float $approvalRetention the seconds for which a request is kept after it is
         *     closed or its time is over
         * @param float $runRetention the seconds for which the store keeps a run of
         *     {@see Executor::start()} after its last change; the same call runs again afterwards
         * @param bool $keepOutputs whether the store keeps what handlers give and throw. Without,
         *     it only tells how a run ended; `outputGap` is `withheld`
         * @throws \Toolwire\Exception\InvalidArgument
         * @throws \Toolwire\Exception\WrongType
         */
        public function __construct(
            Registry $registry,
            ?Store $store = null,
            ?callable $permission = null,
            float $approvalTimeout = 86400.0,
            float $undoTtl = 3600.0,
            bool $emitEvents = true,
            bool $storeUndoData = true,
            bool $requireApprovalForRisky = true,
            \Toolwire\Redaction|array|null $redact = null,
            ?callable $changes = null,
            float $approvalRetention = 2592000.0,
            float $runRetention = 604800.0,
            bool $keepOutputs = true,
        ) {
        }

        /**
         * Adds a listener for every event. An exception of the listener becomes a warning and does
         * not stop the run.
         *
         * @param callable(string, array<string, mixed>): void $listener
         */
        public function listen(callable $listener): void
        {
        }

        /**
         * The tools as the provider's request has them, in the order of their registration. A name
         * that the provider refuses is replaced by one that finds the tool too.
         *
         * @param bool $strict whether OpenAI shall hold the model to the schemas
         * @return list<array<string, mixed>>
         * @throws \Toolwire\Exception\InvalidArgument `unknown_provider`, `invalid_schema` for a
         *     schema that the provider refuses or that does not qualify as strict,
         *     `invalid_option`
         */
        public function toProvider(string $provider, bool $strict = false): array
        {
        }

        /**
         * Runs an action. The returned object tells the outcome; only misuse throws. What holds no
         * single call that can be read has failed, with the code and the place.
         *
         * @param mixed $action `id`, `type` and `payload`, a provider's object that holds one call, a
         *     {@see ToolCall}, {@see ResolvedToolCall} or {@see UnresolvedToolCall}
         * @param ?array<string, mixed> $context `mode` of the program, `parent_id` of what the
         *     run is part of, `request_id`, `caller`; `run_id`, a UUID that the program gives the
         *     run; other keys are the program's own
         * @param ?string $scope as for {@see Executor::start()}
         * @param ?string $message as for {@see Executor::start()}
         * @param ?int $index as for {@see Executor::start()}
         * @throws \Toolwire\Exception\InvalidArgument
         * @throws \Toolwire\Exception\WrongType
         */
        public function execute(
            mixed $action,
            ?array $context = null,
            ?string $scope = null,
            ?string $message = null,
            ?int $index = null,
        ): Execution {
        }

        /**
         * Starts the run of a call and keeps it in the store, until a week after its last change. A
         * call that was started before gives the run that it has, whatever its state: no second
         * request, no second execution. A call of another tool or with other arguments under the
         * same id is denied as `call_id_reused`.
         *
         *     $registry = new Toolwire\Tools\Registry();
         *     $ok = static fn () => Toolwire\Tools\ToolOutput::ok();
         *     $registry->register(new Toolwire\Tools\ToolDefinition('mail', 'MAIL', $ok));
         *     $executor = new Toolwire\Tools\Executor($registry, new Toolwire\Tools\Store\Memory());
         *     $call = ['id' => 'call_1', 'type' => 'MAIL'];
         *     $first = $executor->start($call, scope: 'conversation 7', message: '3');
         *     $again = $executor->start($call, scope: 'conversation 7', message: '3');
         *     echo $first->state, ' ', json_encode($first->id === $again->id); // completed true
         *
         * @param array<mixed>|ToolCall|ResolvedToolCall $action `id`, `type` and `payload`, or a
         *     provider's object that holds one call
         * @param ?array<string, mixed> $context as for {@see Executor::execute()}
         * @param ?string $scope the conversation, session or client; models count their calls anew
         *     in each
         * @param ?string $message the number or the id of the message that holds the call; many
         *     servers count their calls anew in each message
         * @param ?int $index the place of the call in its message, from 0, for calls without ids
         * @param bool $again begins a run once more that was denied, or on which nobody decided in
         *     time: its handler never ran. It keeps its idempotency key.
         * @throws Exception\RunException `already_ran`, with `$again`, for a run that has ended
         *     otherwise or may have run
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument
         * @throws \Toolwire\Exception\WrongType
         */
        public function start(
            mixed $action,
            ?array $context = null,
            ?string $scope = null,
            ?string $message = null,
            ?int $index = null,
            bool $again = false,
        ): Execution {
        }

        /**
         * A run as it stands, which is left alone. Null when the store has no run of this id.
         *
         * @throws Exception\StoreException
         */
        public function run(string $id): ?Execution
        {
        }

        /**
         * Ends the runs whose handlers have ended the request: by `exit`, a fatal error or the time
         * limit. They are `interrupted` from then on. PHP calls it at the end of each request that
         * has started or resumed a run; a server that outlives its jobs calls it behind each job.
         *
         * @return int how many there were
         */
        public static function interruptOpenRuns(): int
        {
        }

        /**
         * Goes on with a run, in this request or a later one: after the decision of a person, or
         * after the request that began it died before the handler was started. A run whose handler
         * may have run is `interrupted`, and stays so until somebody retries it. Null when the store
         * has no run of this id.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function resume(string $id): ?Execution
        {
        }

        /**
         * Makes an interrupted run ready to run once more, and returns it: it is `approved`, for
         * {@see Executor::resume()} to take up. This is a decision of a person or a program that looked what
         * the handler did. The run keeps its idempotency key and its approval, and passes the
         * checks again. Of several processes that retry a run at once, one succeeds.
         *
         * @throws Exception\RunException `unknown_run`; `not_interrupted` for a run in any other
         *     state; `arguments_gone` for a run of {@see Executor::execute()}
         * @throws Exception\StoreException
         */
        public function retry(string $id): Execution
        {
        }

        /**
         * The runs that have not ended, the oldest first, all of them or a page.
         *
         * @param ?int $limit how many at most
         * @param ?string $after the id of the last run of the page before
         * @return list<Execution>
         * @throws Exception\RunException `unknown_run` when the store has no run of the id `after`
         * @throws Exception\StoreException
         */
        public function waiting(?int $limit = null, ?string $after = null): array
        {
        }

        /**
         * Deletes a run from the store, with its arguments and its outcome. The same call begins a
         * new run then. Returns whether there was one.
         *
         * @throws Exception\StoreException
         */
        public function forget(string $id): bool
        {
        }

        /**
         * The input of the run with this id that waits; null when it does not wait.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function input(string $runId): ?ToolInput
        {
        }

        /**
         * The present fingerprint of the run that waits; null when it does not wait. An
         * exception of `changes` is passed on.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function fingerprint(string $runId): ?string
        {
        }

        /**
         * Approves a request, by its id or its run's, and returns it. With `$arguments`, the run
         * goes on with these in place of those of the call. They pass the checks of a call first:
         * the schema, the permission, and what the run would change. `$fingerprint` is that of the
         * request that the person saw. An exception of `changes` is passed on.
         *
         * @param ?array<string, mixed> $arguments
         * @throws Exception\ApprovalException as `ApprovalService::decide`; `arguments_refused` when
         *     the arguments do not pass a check; `not_waiting` when no run of the store waits for
         *     the request, so that its arguments cannot be changed
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function approve(
            string $id,
            ?array $arguments = null,
            ?string $decidedBy = null,
            ?string $reason = null,
            ?string $fingerprint = null
        ): ApprovalRequest {
        }

        /**
         * Undoes the newest run with this id that was not undone yet. Returns whether there was
         * undo data.
         *
         * @param ?array<string, mixed> $context
         * @throws Exception\ToolUndoFailed
         * @throws Exception\StoreException
         */
        public function undo(string $runId, ?array $context = null): bool
        {
        }
    }
}
