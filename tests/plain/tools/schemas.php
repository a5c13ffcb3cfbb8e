<?php

/** Arguments for schemas, checked by the extension's executor or by the library. */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Tools;

use Toolwire\Plain\ReadOnlyCalls;
use Toolwire\Provider;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;
use Toolwire\Tools\ToolDefinition;
use Toolwire\Tools\ToolInput;

/** @return list<array{array<string, mixed>, list<string>}> schemas, with arguments as JSON */
function some_schemas(): array
{
    $of = static function (array $property): array {
        return ['type' => 'object', 'properties' => ['a' => $property]];
    };
    $numbers = ['{"a":1}', '{"a":1.0}', '{"a":1.5}', '{"a":"1"}', '{"a":-3}', '{"a":10}',
        '{"a":null}'];
    $texts = ['{"a":"abc"}', '{"a":"é"}', '{"a":""}', '{"a":"abcdef"}', '{"a":7}', '{"a":"x\ny"}'];
    $lists = ['{"a":[]}', '{"a":[1,2]}', '{"a":[1,1.0]}', '{"a":["x",{"b":1}]}', '{"a":{}}',
        '{"a":[1,2,3,4]}'];
    $objects = ['{"a":{}}', '{"a":{"b":1}}', '{"a":{"b":1,"c":2}}', '{"a":[]}', '{"a":{"x1":"t"}}'];
    $inner = ['type' => 'object', 'properties' => ['b' => ['type' => 'integer']]];
    $exact = ['{"a":12345678901234567890123}', '{"a":1e400}', '{"a":-1E400}', '{"a":1e-400}',
        '{"a":9007199254740992.0}', '{"a":9007199254740993}', '{"a":9007199254740993.0}',
        '{"a":0.07}', '{"a":19.99}', '{"a":1.50}', '{"a":1e18}', '{"a":1e19}', '{"a":-0}',
        '{"a":-0.0}', '{"a":0.1000000000000000001}', '{"a":1.0000000000000000001}',
        '{"a":0.99999999999999999999999}', '{"a":1000000000000000000003}', '{"a":0.1e1}',
        '{"a":0.00000000015}', '{"a":18446744073709551615}', '{"a":-9223372036854775808}',
        '{"a":[{"b":[1,{"c~/":1e999}]}]}', '{"a":"\\u2028 12345678901234567890123"}'];
    $same = ['{"a":[9007199254740992,9007199254740993]}', '{"a":[1e2,100]}', '{"a":["1",1]}',
        '{"a":[{"b":1.50},{"b":15e-1}]}', '{"a":[0,-0.0]}', '{"a":[1,true]}', '{"a":[[1],[1.0]]}',
        '{"a":[12345678901234567890123,12345678901234567890124]}'];
    $numeric = [
        ['title' => 'any'], ['type' => 'integer'], ['type' => 'string'],
        ['type' => 'number', 'maximum' => 10],
        ['type' => ['integer', 'string']], ['maximum' => 9007199254740992], ['maximum' => 0.1],
        ['exclusiveMaximum' => 1], ['exclusiveMinimum' => 0], ['minimum' => -1e300],
        ['multipleOf' => 2], ['multipleOf' => 3], ['multipleOf' => 0.01], ['multipleOf' => 1e-10],
        ['multipleOf' => 1e-7], ['multipleOf' => 9007199254740993], ['multipleOf' => 1e300],
        ['enum' => [9007199254740993]], ['const' => 9007199254740992], ['enum' => [1.5, 19.99]],
        ['multipleOf' => 9223372036854775807], ['enum' => ['12345678901234567890123']],
    ];
    $all = [];
    foreach ($numeric as $schema) {
        // What is next to 0 is 0 for the validator, if the divisor is large.
        $isLarge = ($schema['multipleOf'] ?? 0) > 1e15;
        $all[] = [$of($schema), $isLarge ? array_diff($exact, ['{"a":1e-400}']) : $exact];
    }
    return array_merge($all, [
        [$of(['uniqueItems' => true]), $same],
        [[], ['{}', '{"a":1}']],
        [['type' => 'object', 'properties' => [], 'additionalProperties' => false], ['{}',
            '{"a":1}']],
        [$of(['type' => 'integer']), $numbers],
        [$of(['type' => ['integer', 'null']]), $numbers],
        [$of(['type' => 'number', 'minimum' => 1, 'maximum' => 5]), $numbers],
        [$of(['exclusiveMinimum' => 1, 'exclusiveMaximum' => 10]), $numbers],
        [$of(['type' => 'number', 'multipleOf' => 0.5]), $numbers],
        [$of(['enum' => [1, '1', null]]), $numbers],
        [$of(['const' => 1]), $numbers],
        [$of(['type' => 'string', 'minLength' => 1, 'maxLength' => 3]), $texts],
        [$of(['type' => 'string', 'pattern' => '^[a-c]+$']), $texts],
        [$of(['type' => 'string', 'enum' => ['abc', 'é']]), $texts],
        [$of(['type' => 'array', 'minItems' => 1, 'maxItems' => 3, 'uniqueItems' => true]), $lists],
        [$of(['type' => 'array', 'items' => ['type' => 'integer']]), $lists],
        [$of(['prefixItems' => [['type' => 'string']], 'items' => ['type' => 'object']]), $lists],
        [$of(['contains' => ['const' => 2]]), $lists],
        [$of(['type' => 'object', 'minProperties' => 1, 'maxProperties' => 1]), $objects],
        [$of($inner + ['required' => ['b'], 'additionalProperties' => false]), $objects],
        [$of(['patternProperties' => ['^x' => ['type' => 'string']]]), $objects],
        [$of(['additionalProperties' => ['type' => 'integer']]), $objects],
        [$of(['propertyNames' => ['maxLength' => 1]]), $objects],
        [$of(['anyOf' => [['type' => 'string'], ['minimum' => 5]]]), array_merge($numbers, $texts)],
        [$of(['oneOf' => [['type' => 'integer'], ['minimum' => 1]]]), $numbers],
        [$of(['allOf' => [['type' => 'integer'], ['minimum' => 2]]]), $numbers],
        [$of(['not' => ['type' => 'string']]), $numbers],
        [$of(['if' => ['type' => 'string'], 'then' => ['minLength' => 4],
            'else' => ['minimum' => 0]]),
            array_merge($numbers, $texts)],
        [['$defs' => ['n' => ['type' => 'integer']],
            'properties' => ['a' => ['$ref' => '#/$defs/n']]],
            $numbers],
        [['properties' => ['a' => ['type' => 'string', 'required' => true]]], ['{}', '{"a":"x"}']],
        [['required' => ['a', 'b']], ['{}', '{"b":1}', '{"a":1,"b":2}']],
        [$of(['type' => 'object', 'properties' => ['b/c~d' => ['type' => 'null']]]),
            ['{"a":{"b/c~d":1}}']],
    ]);
}

/** @return array<string, list<string>|string> the texts that have a pattern, or that it is none */
function patterns(): array
{
    $patterns = [
        '^\\d+$', '^\\D$', '^\\w+$', '^\\W$', '^\\s$', '^\\S$', '^[^\\d]$', '^[\\w-]$', '^[\\W5]$',
        '^[^\\S]$', '^[\\s\\d]$', '\\bx', '\\Bx', '^[[:alpha:]]$', '^[]a]$', '^[a[b]]$', '^.$',
        '^\\v$',
        '^ab\\Z', '^\\h$', '^\\R$', '^\\X', '^\\Qa', '^a\\Kb', '^\\e$', '^\\0$', '^\\101$',
        '^[\\b]$', '[a-\\d]',
        '[\\d-z]', '^\\x41$', '^\\u0041$', '^\\u{1F600}$', '^(a)\\1$', '(?i)^k$', '^\\p{Lu}$',
        '^\\\\d$',
        '^a{2$', '^\\d{2}$', '(*UCP)a', '^(?|a|b)$', '^(?>a)$', '^(?#c)a', '^(?=a)a$', '(?<=a)b',
        '\\',
        "^[\x01]$", '^[\\-.]$', '[]', '^\\cA$', '^(?<n>a)$',
    ];
    $texts = [
        'a', 'b', 'ab', 'aa', '5', '55', '-', 'K', "\u{212A}", 'é', '٣', "\u{A0}", "\u{FEFF}",
        "\u{85}",
        "\n", "\r", "\u{2028}", "\v", "\t", ' ', '\\', 'x', 'éx', 'A', '😀', 'a]', '[', "ab\n",
        "\x01",
        "\u{180E}", '.', '', '\\d', ']',
    ];
    $answers = [];
    foreach ($patterns as $pattern) {
        $registry = new Registry();
        $schema = ['properties' => ['a' => ['pattern' => $pattern]]];
        $made = asked(static function () use ($registry, $schema): string {
            $registry->register(new ToolDefinition('t', 't', 'is_object', '', $schema, null, false,
                null, false, null, null, null, null, null, true));
            return 'made';
        });
        $answers[$pattern] = $made === 'made' ? [] : $made[1];
        foreach ($made === 'made' ? $texts : [] as $text) {
            if (ran($registry, (string) json_encode(['a' => $text]))[0] === 'completed') {
                $answers[$pattern][] = $text;
            }
        }
    }
    return $answers;
}

/** @return list<mixed> what a tool was given, or at which places its arguments do not fit */
function schemas(): array
{
    $answers = [];
    foreach (some_schemas() as [$schema, $all]) {
        $registry = new Registry();
        $given = null;
        $handler = static function (ToolInput $input) use (&$given): array {
            $given = serialize($input->payload) . $input->json();
            return [];
        };
        $registry->register(new ToolDefinition('t', 't', $handler, '', $schema, null, false, null,
            false, null, null, null, null, null, true));
        foreach ($all as $arguments) {
            $given = null;
            $answers[] = [json_encode($schema), $arguments, checked($registry, $arguments), $given];
        }
    }
    foreach ([['type' => 'x'], ['properties' => 1], ['enum' => 1], ['pattern' => '('],
        ['properties' => ['a' => 1]], ['minimum' => '1'], ['$ref' => 'http://x/y'],
        ['anyOf' => []], ['required' => 'a']] as $schema) {
        $thrown = asked(static function () use ($schema): string {
            new ToolDefinition('t', 't', 'strlen', '', $schema);
            return 'made';
        });
        // Behind the place stand the validator's own words; the extension names no place of a $ref.
        $place = isset($schema['$ref']) ? '' : '\S+: ';
        $said = preg_replace("~^(.* is not usable: at $place).+$~Ds", '$1', $thrown[2] ?? 'made');
        $answers[] = [json_encode($schema), $thrown[1] ?? 'made', $said];
    }
    return $answers;
}

/** @return list<string> */
function checked(Registry $registry, string $arguments): array
{
    [, $code, , $problems] = ran($registry, $arguments);
    // The words are those of another validator, and so is their order.
    $paths = array_unique(array_column($problems, 'path'));
    sort($paths);
    return array_merge([$code], $paths);
}

/** @return array{string, string, string, list<array<string, string>>} what became of a call */
function ran(Registry $registry, string $arguments, ?callable $permission = null): array
{
    if (!extension_loaded('toolwire')) {
        $run = (new ReadOnlyCalls($registry, $permission))->run('t', $arguments, 'id');
        return [$run->state, $run->code, $run->message, $run->details['problems'] ?? []];
    }
    $function = ['name' => 't', 'arguments' => $arguments];
    $call = Provider::parse(['id' => 'c', 'type' => 'function', 'function' => $function], 'openai');
    $run = (new Executor($registry, null, $permission))->execute($call->calls[0]);
    $error = $run->error === null ? [] : $run->error->toArray();
    $words = [(string) ($error['kind'] ?? ''), (string) ($error['message'] ?? '')];
    return [$run->state, $words[0], $words[1], $error['problems'] ?? []];
}

/** @return list<mixed> what becomes of a call by what the permission check gives, or a tool */
function permitted(): array
{
    $answers = [];
    $throws = static function (): void {
        throw new \RuntimeException('why');
    };
    $gives = [true, false, 'not today', '', null, 1, [], new \stdClass(), $throws];
    foreach ($gives as $given) {
        $give = $given === $throws ? $throws : static function () use ($given) {
            return $given;
        };
        foreach ([[$give, 'is_object'], [null, $give]] as [$permission, $handler]) {
            $registry = new Registry();
            $registry->register(new ToolDefinition('t', 't', $handler, '', null, null, false, null,
                false, null, null, null, null, null, true));
            $answers[] = ran($registry, '{}', $permission);
        }
    }
    return $answers;
}
