<?php

/** Stubs of tools, the calls that ask for them, what a handler is given and what it gives. */

namespace Toolwire\Tools {
    use Countable;
    use Toolwire\ToolCall;

    /** A tool: its description, its rights, and the code that runs it. */
    final class ToolDefinition
    {
        public readonly string $name;
        /** What the registry and the records of runs know the tool by; mostly the name. */
        public readonly string $id;
        /** @var callable(ToolInput): ToolOutput */
        public readonly mixed $handler;
        public readonly string $description;
        /** @var array<string, mixed> a JSON Schema; empty for none */
        public readonly array $inputSchema;
        /** @var list<string> the modes of the program in which the tool may run; empty for all */
        public readonly array $allowedModes;
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
        /** Whether the tool changes nothing, for clients of MCP; null where that is not known. */
        public readonly ?bool $readOnly;
        /** Whether the tool may delete or overwrite something; null where that is not known. */
        public readonly ?bool $destructive;
        /** For how many seconds a run of the tool may work. */
        public readonly ?float $timeoutSeconds;

        /**
         * @param callable(ToolInput): mixed $handler returns a `ToolOutput`, or the data of one
         * @param ?array<string, mixed> $inputSchema
         * @param ?list<string> $allowedModes
         * @param ?callable(UndoMetadata): void $undoHandler
         * @param ?list<string> $aliases
         * @param ?array{int, float} $rateLimit
         * @throws \Toolwire\Exception\InvalidArgument `invalid_tool`, `invalid_schema`,
         *     `schema_limit`, `invalid_option`
         * @throws \Toolwire\Exception\WrongType
         */
        public function __construct(
            string $name,
            string $id,
            callable $handler,
            string $description = '',
            ?array $inputSchema = null,
            ?array $allowedModes = null,
            bool $requiresApproval = false,
            ?string $approvalMessage = null,
            bool $undoable = false,
            ?callable $undoHandler = null,
            ?string $artifactType = null,
            ?array $aliases = null,
            ?string $capability = null,
            ?array $rateLimit = null,
            ?bool $readOnly = null,
            ?bool $destructive = null,
            ?float $timeoutSeconds = null,
        ) {
        }

        /**
         * Whether the tool may run in a mode. A tool without a list may run in any mode, and without
         * one.
         */
        public function runsIn(?string $mode = null): bool
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

        /** Adds a tool, or replaces the one of the same id. */
        public function register(ToolDefinition $tool): void
        {
        }

        /** The tool of this id, or else of this name or alias. */
        public function get(string $name): ?ToolDefinition
        {
        }

        public function getById(string $id): ?ToolDefinition
        {
        }

        /** Whether there is a tool of this id, name or alias. */
        public function has(string $name): bool
        {
        }

        /**
         * @return list<ToolDefinition> in the order in which their ids were first
         *     registered
         */
        public function list(): array
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
         * The text that tells a model without tool support which tools it has and how to call them,
         * with an example of a call. Give either a profile or a format.
         *
         * @param \Toolwire\Profile|array<string, mixed>|string|null $profile a profile, the name
         *     of a model or a definition
         * @param array<string, mixed>|string|null $format a format's name or a definition
         * @throws \Toolwire\Exception\InvalidArgument `cannot_render`, when such calls cannot be
         *     written; `unknown_model`, `unknown_format`, `invalid_option`
         * @throws \Toolwire\Exception\WrongType
         */
        public function renderPrompt(
            \Toolwire\Profile|array|string|null $profile = null,
            array|string|null $format = null,
        ): string {
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
         *     echo $unresolved[0]->error; // There is no tool 'nobody'
         *
         * @param array<mixed> $toolCalls
         * @param ?string $functionWrapper the key of the object that holds name and arguments,
         *     where a call has it
         * @param 'off'|'safe' $repair what is done about arguments that are almost JSON
         * @return array{list<ResolvedToolCall>, list<UnresolvedToolCall>}
         */
        public function parseAndResolve(
            array $toolCalls,
            string $idField = 'id',
            string $nameField = 'name',
            string $argumentsField = 'arguments',
            ?string $functionWrapper = 'function',
            string $repair = 'off',
        ): array {
        }
    }

    /** What a handler is given. */
    final class ToolInput
    {
        public readonly string $runId;
        public readonly string $toolName;
        /** @var array<mixed> */
        public readonly array $payload;
        /** The mode of the program that the run is in. */
        public readonly ?string $mode;
        /** What the run is part of. */
        public readonly ?string $parentId;
        public readonly ?string $requestId;
        /** The same random text for every attempt of one run, for services that take such a key. */
        public readonly string $idempotencyKey;

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

        /**
         * Tells the listeners of the executor how far the handler has come, as the event
         * `tool.progress`, and keeps the run of a store: it counts as running for as long again as
         * its lease, which is a minute or the handler's time. The lease is renewed once a second at
         * most, so a loop may call this at each step.
         *
         *     $copy = function (ToolInput $input): ToolOutput {
         *         foreach ($input->payload['files'] as $number => $file) {
         *             copy($file, "/backup/$number");
         *             if (!$input->progress($number + 1, count($input->payload['files']))) {
         *                 return ToolOutput::fail('the run was given to another process');
         *             }
         *         }
         *         return ToolOutput::ok();
         *     };
         *
         * @param float $progress what grows from call to call
         * @param ?float $total what it is at the end, if that is known
         * @return bool whether the handler still has its run; if not, its end is not kept, and it
         *     should stop. After the handler has ended this is false, and nothing is told.
         */
        public function progress(
            float $progress,
            ?float $total = null,
            ?string $message = null,
        ): bool {
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
        /** What the tool gave; another request has it as its JSON. */
        public readonly mixed $data;
        public readonly ?string $error;
        /** @var ?array<mixed> */
        public readonly ?array $artifacts;
        /** @var ?array<mixed> what the undo handler will be given */
        public readonly ?array $undoMetadata;

        private function __construct()
        {
        }

        /**
         * @param mixed $data what `json_encode()` writes: arrays, scalars, models, enums, dates
         * @param ?array<mixed> $artifacts
         * @param ?array<mixed> $undoMetadata what JSON can say
         */
        public static function ok(
            mixed $data = null,
            ?array $artifacts = null,
            ?array $undoMetadata = null,
        ): ToolOutput {
        }

        public static function fail(string $error, mixed $data = null): ToolOutput
        {
        }

        /** @return array<string, mixed> every field that is set, by its name in snake case */
        public function toArray(): array
        {
        }
    }
}
