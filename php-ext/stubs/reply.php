<?php

/** Stubs of the JSON of a model's reply. */

namespace Toolwire {
    /** The JSON of a model's reply. */
    final class Reply
    {
        private function __construct()
        {
        }

        /**
         * The one JSON value that a reply is about, or null; objects become arrays.
         *
         * It prefers, in this order: the whole reply, of any type; an object with one of the
         * expected keys; an object or array that fills a code block; an object, or an array of
         * objects, in the text; one of these after a repair; an empty object or array; any other
         * value that fills a code block. A part of a broken object is returned only for its
         * expected keys.
         *
         * @param list<string>|null $keys keys that the object should have; one that has any of them
         *     is preferred to all others
         * @param string|null $repair `off` (by default) mends commas before closing brackets and
         *     keys in single quotes; `safe` makes every repair that is made for a call
         * @param int|null $maxDepth brackets that may be open at once; 128 by default
         */
        public static function extractJson(
            string $text,
            ?array $keys = null,
            ?string $repair = null,
            ?int $maxDepth = null,
        ): mixed {
        }
    }
}
