<?php

declare(strict_types=1);

namespace Toolwire\Plain;

/** The APIs of models, of which the library has that of chat completions. */
final class Providers
{
    /** Those of the extension, by what is asked for, in its order. */
    private const ALL = [
        'models' => [
            'openai', 'anthropic', 'gemini', 'openai_responses', 'bedrock', 'mistral', 'cohere',
            'ollama',
        ],
        'tools' => [
            'openai', 'openai_responses', 'anthropic', 'gemini', 'bedrock', 'ollama', 'mistral',
            'cohere', 'mcp', 'wordpress',
        ],
    ];

    /**
     * Refuses every other API than that of chat completions.
     *
     * @param string $of `models` or `tools`
     * @param string $what what needs the extension, before the API's name
     * @throws \Toolwire\Exception\ToolwireThrowable
     */
    public static function onlyChat(string $name, string $of, string $what): void
    {
        if (!in_array($name, self::ALL[$of], true)) {
            $message = "unknown provider of $of \"" . Utf8::lossy($name) . '"'
                . Nearest::suggestion($name, self::ALL[$of]);
            throw Misuse::of('unknown_provider', $message);
        }
        LeftOut::refuse($name !== 'openai', "$what $name");
    }
}
