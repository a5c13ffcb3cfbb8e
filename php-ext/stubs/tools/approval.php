<?php

/** Stubs of requests for approval, and decisions. */

namespace Toolwire\Tools {
    /** What a person is asked, and what the person answered. */
    final class ApprovalRequest
    {
        /** Null until the request is made, unless an id was given. */
        public readonly ?string $id;
        public readonly string $runId;
        public readonly string $toolName;
        public readonly string $message;
        /**
         * @var array<mixed> the part of the call that the person sees; an executor leaves secrets
         * out
         */
        public readonly array $payload;
        public readonly ?string $parentId;
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
            string $runId,
            string $toolName,
            string $message = '',
            ?array $payload = null,
            ?string $parentId = null,
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
         * Takes a decision. `$id` is that of a request, or that of a run, for the run's
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
         * The status of a request. `$id` is that of a request, or that of a run, for the
         * run's newest pending request, else its newest.
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
         * What the run of a pending request would change, as the executor's `changes` reported it
         * when the request was made, by the request's id. Null if nothing was reported, or once the
         * request is not pending.
         *
         * A `diff` has the lines of a unified diff, a `value` what was reported, and `left_out` says
         * how many changes are not shown. Secrets are masked before two sides are compared. The
         * texts may hold control characters: escape them for what shows them.
         *
         * @return ?list<array{label: ?string, kind: string, text: string, additions: int,
         *     deletions: int, has_secrets: bool, left_out: int}> `left_out` counts the bytes that the
         *     text lacks at its end
         */
        public function changes(string $id): ?array
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
            ?string $parentId = null,
            ?int $limit = null,
            ?string $after = null,
        ): array {
        }

        /** Removes a request, if there is one. */
        public function forget(string $id): void
        {
        }
    }
}
