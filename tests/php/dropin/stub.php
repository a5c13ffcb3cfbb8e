<?php

/** Compares the declared classes with the stubs, and prints their names. */

declare(strict_types=1);

use Toolwire\Tests\Description;

require __DIR__ . '/../Description.php';

$declared = array_keys((new ReflectionExtension('toolwire'))->getClasses());
$declared = array_values(
    array_filter($declared, fn (string $name): bool => !str_starts_with($name, 'Toolwire\\'))
);
sort($declared);

$code = (string) file_get_contents(__DIR__ . '/../../../php-ext/stubs/dropins.php');
$code = preg_replace('/^namespace (?=[A-Z])/m', 'namespace ' . Description::PREFIX . '\\', $code);
$code = preg_replace('/^namespace \{/m', 'namespace ' . Description::PREFIX . ' {', $code);
$before = get_declared_classes();
eval(substr($code, strlen('<?php')));
$stubs = array_values(array_diff(get_declared_classes(), $before));
$names = array_map(
    fn (string $stub): string => substr($stub, strlen(Description::PREFIX . '\\')),
    $stubs
);
sort($names);
if ($declared !== $names) {
    exit(
        'declared: ' . implode(', ', $declared) . '; in the stub: ' . implode(', ', $names) . "\n"
    );
}
foreach ($declared as $name) {
    $stub = new ReflectionClass(Description::PREFIX . "\\$name");
    [$class, $expected] = [Description::of(new ReflectionClass($name)), Description::of($stub)];
    if ($class !== $expected || $stub->getDocComment() === false) {
        exit(
            "$name is not as the stub says: " . var_export($class, true)
                . var_export($expected, true) . "\n"
        );
    }
    echo "$name\n";
}
