<?php

/** Stubs of grammars. */

namespace Toolwire {
    /** A grammar that holds a model to calls that can be read; {@see Detector::constrain()}. */
    final class Constraint
    {
        /** @var string|array<string, mixed> an array for a structural tag, a text for the others */
        public readonly mixed $grammar;
        /**
         * @var array<string, mixed> what is merged into the body of the request to the server: the
         *     grammar, and for vLLM, SGLang and TensorRT-LLM `skip_special_tokens`, so that they
         *     keep the tokens that mark calls
         */
        public readonly array $request;
        /** @var list<string> the tokens that end the turn; the grammar ends in front of them */
        public readonly array $stop;
        /** @var list<ConstraintNote> what the grammar does not hold */
        public readonly array $notes;
        /** The name of the profile; null where only a format was given. */
        public readonly ?string $profile;
        /** The name of the calls' format; null where there are no calls. */
        public readonly ?string $format;
        /** The notation of the grammar: `structural_tag`, `lark` or `gbnf`. */
        public readonly string $backend;
        /** @var bool|string who writes the reasoning: the grammar, nobody, or `engine` */
        public readonly mixed $reasoning;

        private function __construct()
        {
        }

        /** @return array<string, mixed> every field, by its name in snake case */
        public function toArray(): array
        {
        }
    }

    /**
     * A keyword of a schema that a grammar does not hold: the arguments must be checked for it.
     *
     *     $schema = ['properties' => ['a' => ['not' => ['type' => 'string']]]];
     *     $tools = [['name' => 'f', 'parameters' => $schema]];
     *     [$note] = Toolwire\Detector::constrain($tools, format: 'hermes')->notes;
     *     echo "$note->tool $note->pointer $note->keyword"; // f /properties/a/not not
     */
    final class ConstraintNote
    {
        /** The tool; empty for the schema of the text. */
        public readonly string $tool;
        /** Where the keyword stands in the schema, as a JSON pointer. */
        public readonly string $pointer;
        /** The keyword; empty where there is no schema. */
        public readonly string $keyword;
        /** What is not held, for people. */
        public readonly string $message;

        private function __construct()
        {
        }

        /** @return array{tool: string, pointer: string, keyword: string, message: string} */
        public function toArray(): array
        {
        }
    }
}
