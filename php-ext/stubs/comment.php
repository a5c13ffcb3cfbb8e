<?php

/** Stubs of comments, texts and tokens, for editors and static analysis. */

namespace Toolwire {
    use Toolwire\Exception\InvalidArgument;

    /** The comment for a person in a model's reply, and what makes it fit to be posted. */
    final class Comment
    {
        private function __construct()
        {
        }

        /**
         * The text of a comment that may be wrapped in JSON.
         *
         * A comment that is one JSON object, alone or in a code block, is replaced by its
         * `user_comment`, else its `message`, else its `content`. A `user_comment` is unwrapped in
         * the same way again. Any other text is kept without the white space round it. A comment of
         * fewer than 10 characters becomes a polite sentence.
         *
         *     $reply = '{"user_comment": "Fixed in version 2."}';
         *     echo Toolwire\Comment::clean($reply); // Fixed in version 2.
         */
        public static function clean(string $comment): string
        {
        }

        /**
         * A comment out of a reply that is no JSON.
         *
         * The first complete text behind a key `"user_comment"`, cleaned. Else the first line of
         * more than 20 characters that does not begin with a bracket or a quote. Else a sentence
         * that says that there is no comment.
         */
        public static function fromReply(string $reply): string
        {
        }

        /**
         * A comment that is fit to be posted where Markdown is shown.
         *
         * Secrets become `[redacted]`; invisible and control characters are dropped; outside of
         * code, mentions and commands (`/word` where a line begins) get a zero-width space behind
         * the `@` or `/`, `<` before a tag or comment becomes `&lt;`, and images become links. Lines
         * that begin with the words of a command, such as `Duplicate of #12` or `bors r+`, get one
         * behind their first character.
         *
         *     echo Toolwire\Comment::publishable('<b>Hi</b>')['text']; // &lt;b>Hi&lt;/b>
         *
         * @param list<string>|null $secrets to strike out, besides whatever looks like a secret
         * @param list<string>|null $mentions names, without `@`, that may be pinged
         * @param int|null $maxLength code points of the comment at most; 65,536 by default, as on
         *     GitHub
         * @param list<string>|null $commands more words that are commands where a line begins with
         *     them: 100 at most, of 100 bytes at most
         *
         * @return array{text: string, changes: array<string, int>} the comment, and how often it
         *     was changed, by code: `secret_redacted`, `control_removed`, `mention_broken`,
         *     `command_broken`, `html_escaped`, `image_unlinked`, `shortened`
         *
         * @throws InvalidArgument|Exception\WrongType if an option is not allowed
         */
        public static function publishable(
            string $comment,
            ?array $secrets = null,
            ?array $mentions = null,
            ?int $maxLength = null,
            ?array $commands = null,
        ): array {
        }

        /**
         * A text without secrets: without the given secrets, of 8 bytes at least, and without
         * everything that looks like a token.
         *
         * A secret is found even with invisible characters in it or in the escapes of JSON, URLs or
         * HTML. A given secret is found in base64 too.
         *
         *     $clone = 'https://me:pass@example.org';
         *     echo Toolwire\Comment::redact($clone); // https://me:[redacted]@example.org
         *
         * @param list<string>|null $secrets
         *
         * @throws InvalidArgument|Exception\WrongType if an option is not allowed
         */
        public static function redact(string $text, ?array $secrets = null): string
        {
        }
    }

    /** Text made safe to show to a person or to give to a model. */
    final class Text
    {
        private function __construct()
        {
        }

        /**
         * A text whose invisible and control characters are marks such as `⟨U+202E⟩`; escape it
         * afterwards.
         *
         * These get a mark: control characters except tab and line end, bidirectional controls,
         * zero-width characters and everything else without a glyph. A byte that is not UTF-8
         * becomes a mark such as `⟨0xFF⟩`. Letters of any script, accents and emoji stay as they
         * are.
         *
         *     echo Toolwire\Text::visible("rm \u{202E}txt.a"); // rm ⟨U+202E⟩txt.a
         */
        public static function visible(string $text): string
        {
        }

        /**
         * Quotes a text of others, so that no built-in format finds a call in it.
         *
         * A part that could belong to a call stays readable, with the mark `⟨quoted⟩` in it. The
         * rest of the text does not change.
         *
         *     echo Toolwire\Text::quote('<tool:a>{}</tool>'); // <⟨quoted⟩tool:a>{}<⟨quoted⟩/tool>
         */
        public static function quote(string $text): string
        {
        }
    }

    /**
     * Masks secrets in values, by the names they stand under and by what they look like.
     *
     * A name marks a secret if it contains the words of a listed name in a row: `api_key` finds
     * `apiKey` and `X-API-KEY`.
     *
     *     $redaction = Toolwire\Redaction::withDefaults(['iban']);
     *     $masked = $redaction->mask(['user' => 'ada', 'customerIban' => 'DE99']);
     *     echo json_encode($masked); // {"user":"ada","customerIban":"[redacted]"}
     */
    final class Redaction
    {
        private function __construct()
        {
        }

        /**
         * The default names, which cover those of WordPress, and the given names.
         *
         * @param ?list<string> $names
         *
         * @throws Exception\WrongType if a name is no string
         */
        public static function withDefaults(?array $names = null): Redaction
        {
        }

        /**
         * Only the given names. Texts that look like secrets are masked too.
         *
         * @param list<string> $names
         *
         * @throws Exception\WrongType if a name is no string
         */
        public static function only(array $names): Redaction
        {
        }

        /** Whether a value with this name is a secret. */
        public function hides(string $name): bool
        {
        }

        /**
         * A copy of a value. Values with the name of a secret, and texts that look like a secret,
         * are `[redacted]`.
         *
         * Lists stay lists, and objects of class `stdClass` stay objects. An object of another
         * class is replaced by the name of the class, as `<ArrayObject>`. An array or object that
         * nests more than 512 deep is replaced by the number of its items.
         */
        public function mask(mixed $value): mixed
        {
        }

        /** A text in which each part that looks like a secret is `[redacted]`. */
        public function maskText(string $text): string
        {
        }
    }

    /** Texts measured and cut by tokens: 1.3 for each word and 0.1 for each of `. , ! ? ; :`. */
    final class Tokens
    {
        private function __construct()
        {
        }

        /**
         * The estimated number of tokens of a text.
         *
         *     echo Toolwire\Tokens::count('Hello, world: it works.'); // 5
         */
        public static function count(string $text): int
        {
        }

        /**
         * The first words of a text up to a number of tokens, with one space between words. A text
         * with no more tokens is returned as it is.
         *
         * @throws InvalidArgument if `$maxTokens` is negative
         */
        public static function truncate(string $text, int $maxTokens): string
        {
        }

        /**
         * A text in chunks of about equal size, cut behind sentences or words. The chunks hold the
         * whole text.
         *
         * @param int|null $maxTokens a chunk has at most so many tokens, or one word; 7,781 by
         *     default
         * @param int|null $minTokens a chunk is not planned smaller than this; 50 by default
         * @param int|null $overlapTokens so many tokens come again in the next chunk, at most half
         *     of it; 100 by default
         *
         * @return list<array{text: string, start: int, end: int, token_count: int}> where each
         *     starts and ends is in bytes
         *
         * @throws InvalidArgument|Exception\WrongType if an option is not allowed
         */
        public static function chunks(
            string $text,
            ?int $maxTokens = null,
            ?int $minTokens = null,
            ?int $overlapTokens = null,
        ): array {
        }
    }
}
