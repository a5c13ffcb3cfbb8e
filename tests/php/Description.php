<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use ReflectionClass;
use ReflectionMethod;
use ReflectionProperty;

/** What a caller can rely on of a class; a stub is described under its real name. */
final class Description
{
    /**
     * The namespace to which the stubs are moved, so that stub and class can be declared together.
     */
    public const PREFIX = 'ToolwireStub';

    /** @return array<string, mixed> */
    public static function of(ReflectionClass $class): array
    {
        $own = static fn ($member): bool => $member->getDeclaringClass()->name === $class->name;
        $methods = [];
        foreach (array_filter($class->getMethods(), $own) as $method) {
            $methods[$method->name] = self::describeMethod($method);
        }
        ksort($methods);
        $properties = [];
        foreach (array_filter($class->getProperties(), $own) as $property) {
            $properties[$property->name] = self::describeProperty($property);
        }
        ksort($properties);
        $interfaces = array_map([self::class, 'plain'], $class->getInterfaceNames());
        sort($interfaces);
        return [
            'final' => $class->isFinal(),
            'interface' => $class->isInterface(),
            'parent' => $class->getParentClass()
                ? self::plain($class->getParentClass()->name)
                : null,
            'interfaces' => $interfaces,
            'constants' => $class->getConstants(),
            'properties' => $properties,
            'methods' => $methods,
        ];
    }

    private static function describeMethod(ReflectionMethod $method): string
    {
        $parameters = [];
        foreach ($method->getParameters() as $parameter) {
            $default = $parameter->isOptional()
                ? ' = ' . var_export($parameter->getDefaultValue(), true)
                : '';
            $parameters[] = self::plain((string) $parameter->getType()) . ' $' . $parameter->name
                . $default;
        }
        $visibility = $method->isPublic()
            ? 'public'
            : ($method->isPrivate() ? 'private' : 'protected');
        $static = $method->isStatic() ? 'static ' : '';
        $returns = self::plain(
            (string) ($method->getReturnType() ?? $method->getTentativeReturnType())
        );
        return "$visibility $static(" . implode(', ', $parameters) . "): $returns";
    }

    private static function describeProperty(ReflectionProperty $property): string
    {
        $readonly = $property->isReadOnly() ? 'readonly ' : '';
        $visibility = $property->isPublic() ? 'public' : 'hidden';
        $default = $property->hasDefaultValue() ? ' has a default' : '';
        return "$visibility $readonly" . self::plain((string) $property->getType()) . $default;
    }

    private static function plain(string $name): string
    {
        return str_replace(self::PREFIX . '\\', 'Toolwire\\', $name);
    }
}
