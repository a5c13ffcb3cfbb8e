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
    return [
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
    ];
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
