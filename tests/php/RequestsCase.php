<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use RuntimeException;
use stdClass;
use Toolwire\Provider;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;
use Toolwire\Tools\ToolOutput;

/** Runs a case of the topic `requests`: what goes to a provider or a model with a request. */
final class RequestsCase
{
    /** The outcome of a case. */
    public static function run(stdClass $input): mixed
    {
        return match ($input->function) {
            'to_provider' => self::toProvider($input),
            'answer' => self::answer($input),
            'prompt' => self::prompt($input),
            default => throw new RuntimeException("unknown function {$input->function}"),
        };
    }

    /** @param list<stdClass> $tools */
    private static function registry(array $tools): Registry
    {
        $registry = new Registry();
        foreach ($tools as $tool) {
            Cases::fields(
                $tool,
                ['name', 'id'],
                ['description', 'input_schema', 'read_only', 'destructive']
            );
            $registry->register(new ToolDefinition(
                name: $tool->name,
                id: $tool->id,
                handler: static fn (ToolInput $given) => ToolOutput::ok($given->payload),
                description: $tool->description ?? '',
                inputSchema: isset($tool->input_schema) ? (array) $tool->input_schema : null,
                readOnly: $tool->read_only ?? null,
                destructive: $tool->destructive ?? null,
            ));
        }
        return $registry;
    }

    /** @return array<string, mixed> */
    private static function toProvider(stdClass $input): array
    {
        Cases::fields($input, ['function', 'provider', 'tools'], ['strict', 'names']);
        $registry = self::registry($input->tools);
        $strict = $input->strict ?? false;
        $written = $registry->toProvider($input->provider, $strict);
        $executor = new Executor($registry);
        Assert::assertEquals($written, $executor->toProvider($input->provider, strict: $strict));
        $found = static fn (string $name): ?string => $registry->get($name)?->id;
        return ['tools' => $written, 'found' => array_map($found, $input->names ?? [])];
    }

    /** @return array<string, mixed> */
    private static function answer(stdClass $input): array
    {
        Cases::fields(
            $input,
            ['function', 'provider', 'call', 'success'],
            ['data', 'error', 'max_bytes', 'secret_keys']
        );
        $data = isset($input->data) ? self::data($input->data) : null;
        $output = $input->success
            ? ToolOutput::ok($data)
            : ToolOutput::fail($input->error ?? '', $data);
        $call = is_string($input->call) ? $input->call : Cases::arrays($input->call);
        $written = Provider::dump(
            $output,
            $input->provider,
            $call,
            maxBytes: $input->max_bytes ?? null,
            redact: $input->secret_keys ?? null,
        );
        return ['object' => $written];
    }

    /** The value that an output takes: an array, whose inner objects stay objects. */
    private static function data(mixed $data): array
    {
        return is_array($data) ? $data : get_object_vars($data);
    }

    /** @return array<string, string> */
    private static function prompt(stdClass $input): array
    {
        Cases::fields($input, ['function', 'tools'], ['profile', 'format']);
        $registry = self::registry($input->tools);
        $text = $registry->renderPrompt($input->profile ?? null, $input->format ?? null);
        return ['text' => $text];
    }
}
