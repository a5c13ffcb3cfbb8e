<?php

/**
 * Stubs of the extension `toolwire`, for editors and analysers: the tools, their runs, approval and
 * undo.
 *
 * @noinspection ALL
 */

namespace Toolwire\Tools {
    use Countable;
    use Toolwire\ToolCall;

    /**
     * Keeps state that must outlive a request: bytes under keys, each with a version.
     *
     * A program may implement it over its own database. Keys are printable ASCII of at most 255
     * bytes and compared byte by byte: a table needs a binary collation. Each method is one atomic
     * step. Times are microseconds since 1970 in UTC. An entry whose time `expires_at` is before
     * `$now` counts as absent. An exception of a method becomes the previous one of a {@see
     * Exception\StoreException} of the kind `host`.
     */
    interface Store
    {
        /**
         * @return ?array{value: string, version: int, expires_at: ?int} the entry, if there is one
         */
        public function get(string $key, int $now): ?array;

        /**
         * Puts an entry if the present version is the expected one. Null accepts any entry or none,
         * 0 expects none. Versions are above 0 and never repeat for a key, not even after a delete.
         *
         * @return ?int the new version; null when the present version was not the expected one and
         *     nothing was changed
         */
        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int;

        /**
         * Deletes the entry if its version is the expected one. Returns whether there was an entry
         * that had not expired.
         */
        public function delete(string $key, ?int $expected, int $now): bool;

        /**
         * Up to `$limit` entries whose keys begin with the prefix and come after `$after`, in the
         * order of the keys.
         *
         * @return list<array{key: string, value: string, version: int, expires_at: ?int}>
         */
        public function scan(string $prefix, ?string $after, int $limit, int $now): array;

        /** Removes the expired entries whose keys begin with the prefix. Returns their number. */
        public function purge(string $prefix, int $now): int;

        /** Whether other processes may write to the store. */
        public function shared(): bool;
    }

    /** A tool: its description, its rights, and the code that runs it. */
    final class ToolDefinition
    {
        public readonly string $name;
        public readonly string $actionType;
        /** @var callable(ToolInput): ToolOutput */
        public readonly mixed $handler;
        public readonly string $description;
        /** @var array<string, mixed> a JSON Schema; empty for none */
        public readonly array $inputSchema;
        /** @var list<string> the execution modes in which the tool may run; empty for all */
        public readonly array $allowedBehaviors;
        public readonly bool $requiresApproval;
        public readonly ?string $approvalMessage;
        public readonly bool $undoable;
        /** @var ?callable(UndoMetadata): void */
        public readonly mixed $undoHandler;
        public readonly ?string $artifactType;
        /** @var list<string> other names that find the tool */
        public readonly array $aliases;
        /** What a caller must be allowed to do, for the executor's permission check. */
        public readonly ?string $capability;
        /** @var ?array{int, float} so many runs in so many seconds, for each caller */
        public readonly ?array $rateLimit;

        /**
         * @param callable(ToolInput): ToolOutput $handler
         * @param ?array<string, mixed> $inputSchema
         * @param ?list<string> $allowedBehaviors
         * @param ?callable(UndoMetadata): void $undoHandler
         * @param ?list<string> $aliases
         * @param ?array{int, float} $rateLimit
         * @throws \Toolwire\Exception\InvalidArgument `invalid_tool`, `invalid_schema`,
         *     `invalid_option`
         * @throws \Toolwire\Exception\WrongType
         */
        public function __construct(
            string $name,
            string $actionType,
            callable $handler,
            string $description = '',
            ?array $inputSchema = null,
            ?array $allowedBehaviors = null,
            bool $requiresApproval = false,
            ?string $approvalMessage = null,
            bool $undoable = false,
            ?callable $undoHandler = null,
            ?string $artifactType = null,
            ?array $aliases = null,
            ?string $capability = null,
            ?array $rateLimit = null,
        ) {
        }

        /**
         * Whether the tool may run in an execution mode. A tool without a list may run in any mode,
         * and without one.
         */
        public function isBehaviorAllowed(?string $behavior = null): bool
        {
        }

        /** @return array<string, mixed> every field but the handlers, by its name in snake case */
        public function toArray(): array
        {
        }
    }

    /** A provider's call with its tool; {@see Executor::execute()} takes it. */
    final class ResolvedToolCall
    {
        public readonly ToolDefinition $tool;
        public readonly string $callId;
        public readonly string $name;
        /** @var array<mixed> */
        public readonly array $arguments;
        /** The call as it was given. */
        public readonly mixed $raw;

        private function __construct()
        {
        }

        /** @return array{call_id: string, name: string, arguments: array<mixed>} */
        public function toArray(): array
        {
        }
    }

    /** A provider's call for which there is no tool, or that cannot be read. */
    final class UnresolvedToolCall
    {
        public readonly string $callId;
        public readonly string $name;
        /** @var array<mixed> empty where they could not be read */
        public readonly array $arguments;
        public readonly string $error;
        /** The call as it was given. */
        public readonly mixed $raw;

        private function __construct()
        {
        }

        /** @return array{call_id: string, name: string, arguments: array<mixed>, error: string} */
        public function toArray(): array
        {
        }
    }

    /** The tools of a program. */
    final class Registry implements Countable
    {
        public function __construct()
        {
        }

        /** Adds a tool, or replaces the one of the same action type. */
        public function register(ToolDefinition $tool): void
        {
        }

        /** The tool of this action type, or else of this name or alias. */
        public function get(string $name): ?ToolDefinition
        {
        }

        public function getByActionType(string $actionType): ?ToolDefinition
        {
        }

        /** Whether there is a tool of this action type, name or alias. */
        public function has(string $name): bool
        {
        }

        /**
         * @return list<ToolDefinition> in the order in which their action types were first
         *     registered
         */
        public function list(): array
        {
        }

        /** The number of tools. */
        public function count(): int
        {
        }

        /**
         * Reads providers' calls and looks their tools up.
         *
         * A call is an array, a `stdClass` object or a {@see ToolCall}; its arguments are an array,
         * an object or JSON text of an object. A call that cannot be read is unresolved; the others
         * are not affected.
         *
         *     $registry = new Toolwire\Tools\Registry();
         *     $greet = static fn ($input) => Toolwire\Tools\ToolOutput::ok($input->payload);
         *     $registry->register(new Toolwire\Tools\ToolDefinition('greet', 'GREET', $greet));
         *     $function = ['name' => 'greet', 'arguments' => '{"name": "Ada"}'];
         *     $call = ['id' => 'c1', 'function' => $function];
         *     [$resolved, $unresolved] = $registry->parseAndResolve([$call, ['name' => 'nobody']]);
         *     echo $resolved[0]->tool->name, ' ', $resolved[0]->arguments['name']; // greet Ada
         *     echo $unresolved[0]->error; // No tool registered for action type: nobody
         *
         * @param array<mixed> $toolCalls
         * @param ?string $functionWrapper the key of the object that holds name and arguments,
         *     where a call has it
         * @return array{list<ResolvedToolCall>, list<UnresolvedToolCall>}
         */
        public function parseAndResolve(
            array $toolCalls,
            string $idField = 'id',
            string $nameField = 'name',
            string $argumentsField = 'arguments',
            ?string $functionWrapper = 'function',
        ): array {
        }
    }

    /** What a handler is given. */
    final class ToolInput
    {
        public readonly string $actionId;
        public readonly string $toolName;
        /** @var array<mixed> */
        public readonly array $payload;
        public readonly ?string $behavior;
        public readonly ?string $pipelineRunId;
        public readonly ?string $requestId;

        private function __construct()
        {
        }

        /**
         * The whole payload as JSON text, secrets included. It keeps empty objects and empty lists
         * apart.
         */
        public function json(): string
        {
        }

        /** @return array<string, mixed> every field, by its name in snake case */
        public function toArray(): array
        {
        }
    }

    /** What a handler gives. */
    final class ToolOutput
    {
        public readonly bool $success;
        /** @var ?array<mixed> */
        public readonly ?array $data;
        public readonly ?string $error;
        /** @var ?array<mixed> */
        public readonly ?array $artifacts;
        /** @var ?array<mixed> what the undo handler will be given */
        public readonly ?array $undoMetadata;

        private function __construct()
        {
        }

        /**
         * @param ?array<mixed> $data
         * @param ?array<mixed> $artifacts
         * @param ?array<mixed> $undoMetadata what JSON can say
         */
        public static function ok(
            ?array $data = null,
            ?array $artifacts = null,
            ?array $undoMetadata = null,
        ): ToolOutput {
        }

        /** @param ?array<mixed> $data */
        public static function fail(string $error, ?array $data = null): ToolOutput
        {
        }

        /** @return array<string, mixed> every field that is set, by its name in snake case */
        public function toArray(): array
        {
        }
    }

    /** What a person is asked, and what the person answered. */
    final class ApprovalRequest
    {
        /** Null until the request is made, unless an id was given. */
        public readonly ?string $id;
        public readonly string $actionId;
        public readonly string $toolName;
        public readonly string $message;
        /**
         * @var array<mixed> the part of the action that the person sees; an executor leaves secrets
         * out
         */
        public readonly array $payload;
        public readonly ?string $pipelineRunId;
        /** `pending`, `approved`, `denied`, `expired` or `cancelled`. */
        public readonly string $status;
        public readonly ?string $decidedBy;
        public readonly ?string $decidedAt;
        public readonly ?string $createdAt;
        public readonly ?string $expiresAt;
        public readonly ?string $reason;
        /** The bytes of the whole arguments as JSON. */
        public readonly ?int $size;
        /** The SHA-256 of tool, whole arguments and changes when the request was made. */
        public readonly ?string $fingerprint;
        /** The fingerprint that the deciding person saw. */
        public readonly ?string $decidedFingerprint;

        /** @param ?array<mixed> $payload */
        public function __construct(
            string $actionId,
            string $toolName,
            string $message = '',
            ?array $payload = null,
            ?string $pipelineRunId = null,
            ?string $id = null,
        ) {
        }

        /** @return array<string, mixed> every field, by its name in snake case */
        public function toArray(): array
        {
        }
    }

    /**
     * The requests for approval in a store.
     *
     * A request is decided once and for good, even if several processes decide at the same time.
     *
     *     $approvals = new Toolwire\Tools\ApprovalService(new Toolwire\Tools\Store\Memory());
     *     $asked = new Toolwire\Tools\ApprovalRequest('a1', 'delete_post', 'Delete it?');
     *     $request = $approvals->request($asked);
     *     echo $approvals->status('a1'); // pending
     *     echo $approvals->decide($request->id, true, decidedBy: 'ann')->status; // approved
     *
     * Every method throws {@see Exception\StoreException} when the store fails.
     */
    final class ApprovalService
    {
        /**
         * @param float $timeout the seconds for which a request may be decided
         * @param float $retention the seconds for which a request is kept after it is decided,
         *     cancelled or expired
         */
        public function __construct(
            Store $store,
            float $timeout = 86400.0,
            float $retention = 2592000.0,
        ) {
        }

        /** Makes a request and returns it. It has the given id if no other request has that id. */
        public function request(ApprovalRequest $request): ApprovalRequest
        {
        }

        /**
         * Takes a decision. `$id` is that of a request, or that of an action, for the action's
         * newest pending request.
         *
         * @param ?string $fingerprint the fingerprint that the deciding person saw; it is kept with
         *     the decision, and the run must still have it
         * @param ?string $present the present fingerprint, as {@see Executor::fingerprint()} gives
         *     it
         * @throws Exception\ApprovalException `unknown_approval`, `already_decided`,
         *     `approval_expired`, `approval_cancelled`; `changed_since` when the fingerprint of an
         *     approval is neither the request's nor the present one; a denial is taken with any
         */
        public function decide(
            string $id,
            bool $granted,
            ?string $decidedBy = null,
            ?string $reason = null,
            ?string $fingerprint = null,
            ?string $present = null,
        ): ApprovalRequest {
        }

        /** Cancels a request, and returns whether it was pending. */
        public function cancel(string $id): bool
        {
        }

        /**
         * The status of a request. `$id` is that of a request, or that of an action, for the
         * action's newest pending request, else its newest.
         */
        public function status(string $id): ?string
        {
        }

        public function get(string $id): ?ApprovalRequest
        {
        }

        /**
         * The whole arguments of a pending request as JSON text, without their secrets, by the
         * request's id; null once it is not pending.
         */
        public function arguments(string $id): ?string
        {
        }

        /**
         * The pending requests, all of them or a page.
         *
         * @param ?int $limit how many at most
         * @param ?string $after the id of the last request of the page before, which may be decided
         *     by now
         * @return list<ApprovalRequest> in the order in which they were made
         * @throws Exception\ApprovalException `unknown_approval` when there is no request of the id
         *     `after`
         */
        public function pending(
            ?string $pipelineRunId = null,
            ?int $limit = null,
            ?string $after = null,
        ): array {
        }

        /** Removes a request, if there is one. */
        public function forget(string $id): void
        {
        }
    }

    /** What an undo handler is given. */
    final class UndoMetadata
    {
        public readonly string $actionId;
        public readonly string $toolName;
        /** @var array<mixed> */
        public readonly array $undoData;
        public readonly string $createdAt;

        private function __construct()
        {
        }

        /**
         * @return array{action_id: string, tool_name: string, undo_data: array<mixed>, created_at:
         *     string}
         */
        public function toArray(): array
        {
        }
    }

    /** The undo data of actions that have run, in a store. */
    final class UndoStore implements Countable
    {
        /** @param float $ttl the seconds for which an action may be undone */
        public function __construct(Store $store, float $ttl = 3600.0)
        {
        }

        /**
         * Stores undo data on top of what the action has: if an action ran more than once, the
         * newest run is undone first. At most 32 runs of an action are kept; one more throws.
         *
         * @param array<mixed> $undoData what JSON can say
         */
        public function store(
            string $actionId,
            string $toolName,
            array $undoData,
            ?float $ttl = null,
        ): UndoMetadata {
        }

        public function get(string $actionId): ?UndoMetadata
        {
        }

        /** Whether there was an entry. */
        public function delete(string $actionId): bool
        {
        }

        /**
         * @return list<UndoMetadata> the newest of each action, in the order in which the actions
         *     first had some
         */
        public function all(): array
        {
        }

        /** Removes the expired entries, and returns their number. */
        public function cleanupExpired(): int
        {
        }

        /** The number of actions, with those that have expired and were not removed. */
        public function count(): int
        {
        }
    }

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
        /** The action's id: what {@see Executor::resume()} and {@see Executor::undo()} take. */
        public readonly string $id;
        /**
         * `completed`, `failed`, `denied`, `pendingApproval`, or `running` when another request
         * goes on with it.
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
         * Runs an action. The returned object tells the outcome; only misuse throws.
         *
         * @param array{id?: string, type: string, payload?: array<mixed>}|ToolCall|ResolvedToolCall
         *     $action
         * @param ?array<string, mixed> $context `execution_mode`, `pipeline_run_id`, `request_id`,
         *     `caller`; other keys are the program's own
         * @throws \Toolwire\Exception\InvalidArgument
         * @throws \Toolwire\Exception\WrongType
         */
        public function execute(mixed $action, ?array $context = null): Execution
        {
        }

        /**
         * Goes on with a run that waited for a person, in this request or a later one. Null when no
         * run waits.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function resume(string $id): ?Execution
        {
        }

        /**
         * The input of the run that waits for an action; null when no run waits.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function waiting(string $actionId): ?ToolInput
        {
        }

        /**
         * The present fingerprint of the run that waits for an action; null when no run waits. An
         * exception of `changes` is passed on.
         *
         * @throws Exception\StoreException
         * @throws \Toolwire\Exception\InvalidArgument `invalid_execution`, when its tool is not
         *     registered any more
         */
        public function fingerprint(string $actionId): ?string
        {
        }

        /**
         * Undoes the newest run of an action that was not undone yet. Returns whether there was
         * undo data.
         *
         * @param ?array<string, mixed> $context
         * @throws Exception\ToolUndoFailed
         * @throws Exception\StoreException
         */
        public function undo(string $actionId, ?array $context = null): bool
        {
        }
    }
}

namespace Toolwire\Tools\Store {
    use Toolwire\Tools\Store;

    /** A store that lives as long as the object. */
    final class Memory implements Store
    {
        public function __construct()
        {
        }

        public function get(string $key, int $now): ?array
        {
        }

        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int {
        }

        public function delete(string $key, ?int $expected, int $now): bool
        {
        }

        public function scan(string $prefix, ?string $after, int $limit, int $now): array
        {
        }

        public function purge(string $prefix, int $now): int
        {
        }

        public function shared(): bool
        {
        }
    }

    /** A store in an SQLite file, which any number of processes may have open at once. */
    final class Sqlite implements Store
    {
        /** The file's absolute path. */
        public readonly string $path;

        /**
         * Opens a file; a new or empty one becomes a store. It must not be on a network file
         * system. Only its owner may read it and the files beside it, whatever the umask; wider
         * modes are removed.
         *
         * @param float $busyTimeout the seconds to wait for others who write
         * @param string $durability what a change survives: a loss of `power`, or, faster, only the
         *     end of the `process`
         * @throws \Toolwire\Tools\Exception\StoreException `read_only`, `locked`, `corrupt`,
         *     `newer_version`, `exposed` (a symbolic link, a file that another user owns or whose
         *     mode cannot be changed, a folder in which anybody may replace files), `io`
         * @throws \Toolwire\Exception\InvalidArgument
         */
        public function __construct(
            string $path,
            float $busyTimeout = 10.0,
            string $durability = 'power',
        ) {
        }

        /** Closes the file. All other methods then fail with `closed`. */
        public function close(): void
        {
        }

        public function get(string $key, int $now): ?array
        {
        }

        public function put(
            string $key,
            string $value,
            ?int $expected,
            ?int $expiresAt,
            int $now,
        ): ?int {
        }

        public function delete(string $key, ?int $expected, int $now): bool
        {
        }

        public function scan(string $prefix, ?string $after, int $limit, int $now): array
        {
        }

        public function purge(string $prefix, int $now): int
        {
        }

        public function shared(): bool
        {
        }
    }
}

namespace Toolwire\Tools\Exception {
    use RuntimeException;
    use Toolwire\Exception\ToolwireThrowable;

    /** Why a run ended without an output. */
    class ToolException extends RuntimeException implements ToolwireThrowable
    {
        protected $kind;
        protected $tool;
        protected $details;

        public function getKind(): string
        {
        }

        /** The tool's name; where there is none, the action's type. */
        public function getTool(): string
        {
        }

        /**
         * @return array<string, mixed> kind, message, tool, and the fields that the class names
         */
        public function toArray(): array
        {
        }
    }

    /** No tool runs actions of this type: `tool_not_found`; `action_type`. */
    class ToolNotFound extends ToolException
    {
    }

    /**
     * The tool may not run: `behavior_not_allowed`; `behavior`, `allowed_behaviors`; or
     * `permission_denied`; `reason`.
     */
    class ToolDenied extends ToolException
    {
    }

    /**
     * The payload does not match the tool's schema: `invalid_input`; `problems`, each with `path`
     * and `message`.
     */
    class InvalidToolInput extends ToolDenied
    {
    }

    /** The tool has run too often: `rate_limited`; `retry_after` in seconds. */
    class ToolRateLimited extends ToolDenied
    {
    }

    /**
     * A person said no, or the request was cancelled: `approval_denied`; `request_id`, `reason`.
     */
    class ToolApprovalDenied extends ToolException
    {
    }

    /** The run would differ from what was approved: `changed_since`; `request_id`. */
    class ToolChangedSince extends ToolDenied
    {
    }

    /** Nobody decided in time: `approval_timeout`; `request_id`, `reason`, `timeout_seconds`. */
    class ToolApprovalTimeout extends ToolApprovalDenied
    {
    }

    /**
     * The handler or a permission check threw: `raised`; `action_id`, `cause`, `cause_message`.
     *
     * The thrown exception is the previous one.
     */
    class ToolExecutionFailed extends ToolException
    {
    }

    /** An action could not be undone: `undo_failed`; `action_id`, `reason`. */
    class ToolUndoFailed extends ToolException
    {
    }

    /**
     * A decision was not taken: `unknown_approval`, `already_decided`, `approval_expired`,
     * `approval_cancelled`.
     */
    class ApprovalException extends RuntimeException implements ToolwireThrowable
    {
        protected $kind;

        public function getKind(): string
        {
        }
    }

    /**
     * A store failed: `read_only`, `locked`, `corrupt`, `newer_version`, `exposed`, `closed`, `io`,
     * or `host` for a store that is written in PHP.
     */
    class StoreException extends RuntimeException implements ToolwireThrowable
    {
        protected $kind;

        public function getKind(): string
        {
        }
    }
}
