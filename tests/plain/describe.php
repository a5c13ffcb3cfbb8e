<?php

/**
 * The public face of the library in plain PHP as JSON, for a test that compares it with that of the
 * extension: `php -n tests/plain/describe.php CLASS…`, or the same with the extension.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use ReflectionClass;
use ReflectionMethod;
use ReflectionParameter;

if (!extension_loaded('toolwire')) {
    require __DIR__ . '/bootstrap.php';
}

$faces = [];
foreach (array_slice($argv, 1) as $name) {
    $class = new ReflectionClass($name);
    $methods = [];
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        $parameters = array_map(static function (ReflectionParameter $parameter): string {
            return $parameter->getName() . ($parameter->isOptional() ? ' = …' : '');
        }, $method->getParameters());
        $static = $method->isStatic() ? 'static ' : '';
        $methods[$method->getName()] = $static . implode(', ', $parameters);
    }
    ksort($methods);
    $faces[$name] = $methods;
}
echo json_encode($faces), "\n";
