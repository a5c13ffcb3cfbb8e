<?php

/** Stubs of what the extension throws. */

namespace Toolwire\Exception {
    use InvalidArgumentException;
    use LogicException;
    use Throwable;
    use TypeError;

    /**
     * What every exception of this extension implements; its code is the number of its kind, 0 in
     * `Toolwire\Tools`.
     */
    interface ToolwireThrowable extends Throwable
    {
        /** The slug of the kind, as `unknown_format`; empty for an exception that PHP code made. */
        public function getKind(): string;
    }

    /** An argument or option has a value that is not allowed. */
    final class InvalidArgument extends InvalidArgumentException implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** An argument or option, or what a callback returned, is of the wrong type. */
    final class WrongType extends TypeError implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** A method was called at the wrong time. */
    final class InvalidState extends LogicException implements ToolwireThrowable
    {
        public function getKind(): string
        {
        }
    }

    /** The kinds of errors. */
    final class ErrorKind
    {
        private function __construct()
        {
        }

        /**
         * @return array<string, array{number: int, exception: class-string<ToolwireThrowable>}>
         *     every kind, by slug
         */
        public static function all(): array
        {
        }
    }
}
