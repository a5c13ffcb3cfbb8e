<?php

/** Stubs of what runs, approvals and stores throw. */

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

    /** No tool has the id, name or alias that was asked for: `tool_not_found`. */
    class ToolNotFound extends ToolException
    {
    }

    /**
     * The tool may not run: `mode_not_allowed`; `mode`, `allowed_modes`; or
     * `permission_denied`; `reason`.
     */
    class ToolDenied extends ToolException
    {
    }

    /**
     * The payload does not match the tool's schema: `invalid_input`; `problems`, each with `path`
     * and `message`. Or the schema cannot be applied to it within the limits: `schema_limit`; no
     * `problems`. Or there is not one call that can be read: `no_call`, `several_calls`, `bad_name`,
     * `bad_id`, or the code with which a provider's call is refused; `problems` has the place.
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
     * The handler or a permission check threw: `raised`; `run_id`, `cause`, `cause_message`.
     *
     * The thrown exception is the previous one.
     */
    class ToolExecutionFailed extends ToolException
    {
    }

    /** A run could not be undone: `undo_failed`; `run_id`, `reason`. */
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
     * A run was not retried or listed: `unknown_run`, `not_interrupted`, `already_ran`, `arguments_gone`.
     */
    class RunException extends RuntimeException implements ToolwireThrowable
    {
        protected $kind;

        public function getKind(): string
        {
        }
    }

    /**
     * An agent gave no answer: `model_unreachable`, `model_refused`, `model_limited`,
     * `answer_unreadable`, `provider_asks`, `conversation_busy`, `conversation_waiting`,
     * `unknown_conversation`, `other_model`, `newer_version`, `too_long`, `invalid_agent`. The
     * conversation stands as it stood before the step that failed.
     */
    class AgentException extends RuntimeException implements ToolwireThrowable
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
