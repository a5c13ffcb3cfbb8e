<?php

declare(strict_types=1);

namespace Toolwire;

use Error;
use Generator;
use Iterator;
use Toolwire\Plain\Detect\Config;
use Toolwire\Plain\Detect\Engine;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Options;
use Toolwire\Plain\Detect\Profile\ModelProfile;
use Toolwire\Plain\LeftOut;
use Toolwire\Plain\Misuse;
use Toolwire\Plain\Unsaved;
use Toolwire\Plain\Utf8;

/**
 * Finds tool calls in text that a model wrote.
 *
 * The parameters are those of the extension; docs/plain-php.md says which options it alone has.
 */
final class Detector
{
    use Unsaved;

    /** @var Config|null */
    private $config = null;

    /**
     * An omitted option, or null, means the default.
     *
     * @param string|array<array-key, mixed>|null $formats
     * @param list<string|array<string, mixed>>|null $tools
     * @param array<string, string>|null $aliases
     * @param array<string, string>|null $legacy
     * @param string|null $preset
     * @param string|null $fences
     * @param string|null $reasoning
     * @param string|null $repair
     * @param Seen|null $seen
     * @param string|null $validate
     * @param bool|null $coerce
     * @param int|null $maxInput
     * @param int|null $maxCalls
     * @param int|null $maxRejections
     * @param int|null $maxDepth
     * @param int|null $maxArguments
     * @param string|null $htmlClass
     * @param Profile|string|array<array-key, mixed>|null $model
     * @param string|null $template
     * @param string|null $prompt
     * @param bool|array<array-key, mixed>|null $thinking
     * @param string|null $calls
     */
    public function __construct(
        $formats = null,
        $tools = null,
        $aliases = null,
        $legacy = null,
        $preset = null,
        $fences = null,
        $reasoning = null,
        $repair = null,
        $seen = null,
        $validate = null,
        $coerce = null,
        $maxInput = null,
        $maxCalls = null,
        $maxRejections = null,
        $maxDepth = null,
        $maxArguments = null,
        $htmlClass = null,
        $model = null,
        $template = null,
        $prompt = null,
        $thinking = null,
        $calls = null
    ) {
        if ($this->config !== null) {
            throw new Error('Cannot construct an object of class ' . self::class . ' twice');
        }
        $this->config = new Config(new Options([
            // The preset comes first, so that the other options override its values.
            'preset' => $preset,
            'model' => $model,
            'template' => $template,
            'prompt' => $prompt,
            'thinking' => $thinking,
            'formats' => $formats,
            'tools' => $tools,
            'aliases' => $aliases,
            'legacy' => $legacy,
            'fences' => $fences,
            'reasoning' => $reasoning,
            'repair' => $repair,
            'seen' => $seen,
            'validate' => $validate,
            'coerce' => $coerce,
            'max_input' => $maxInput,
            'max_calls' => $maxCalls,
            'max_rejections' => $maxRejections,
            'max_depth' => $maxDepth,
            'max_arguments' => $maxArguments,
            'html_class' => $htmlClass,
            'calls' => $calls,
        ]));
    }

    /**
     * The formats of this library, in order.
     *
     * @return list<array{slug: string, models: string, body: string, example: string}>
     */
    public static function formats(): array
    {
        $formats = [];
        foreach (Formats::definitions() as $slug => $format) {
            $example = $format['example'];
            $formats[] = [
                'slug' => $slug,
                'models' => $format['models'],
                'body' => $format['body'],
                'example' => is_array($example) ? $example['call'] : $example,
            ];
        }
        return $formats;
    }

    /** Finds the calls in a text of any bytes; null is the empty text. */
    public function detect(?string $text): Detection
    {
        $text = (string) $text;
        return Detection::ofFindings($text, Engine::find($this->config, $text));
    }

    /**
     * Finds the calls in each text, when its detection is asked for; one that was used is not kept.
     *
     * The keys are those of the texts.
     *
     * @param iterable<array-key, string> $texts
     * @return Iterator<array-key, Detection>
     */
    public function detectAll($texts): Iterator
    {
        if (!is_iterable($texts)) {
            $given = Misuse::typeName($texts);
            throw Misuse::of('wrong_type', "texts must be an array or a Traversable, got $given");
        }
        return $this->each($texts);
    }

    /**
     * @param iterable<array-key, mixed> $texts
     * @return Generator<array-key, Detection>
     */
    private function each($texts): Generator
    {
        foreach ($texts as $key => $text) {
            if (!is_string($text)) {
                $given = Misuse::typeName($text);
                throw Misuse::of('wrong_type', "each of texts must be string, got $given");
            }
            yield $key => $this->detect($text);
        }
    }

    /** The profile that `model` or `prompt` named; null without these options. */
    public function profile(): ?Profile
    {
        $profile = $this->config->options->profile();
        return $profile === null ? null : Profile::of($profile);
    }

    /**
     * The built-in profiles, in order.
     *
     * @return list<Profile>
     */
    public static function profiles(): array
    {
        return array_map([Profile::class, 'of'], ModelProfile::all());
    }

    /** The built-in profile for a model, by its name; null if no profile is for it. */
    public static function profileFor(?string $model): ?Profile
    {
        $profile = ModelProfile::find(Utf8::lossy((string) $model));
        return $profile === null ? null : Profile::of($profile);
    }

    /** @return never */
    public function stream()
    {
        throw LeftOut::error('Detector::stream()');
    }

    /** @param list<mixed> $arguments */
    public function __call(string $name, array $arguments)
    {
        return self::__callStatic($name, $arguments);
    }

    /**
     * Methods that only the extension has.
     *
     * @param list<mixed> $arguments
     */
    public static function __callStatic(string $name, array $arguments)
    {
        throw LeftOut::method(self::class, $name);
    }
}
