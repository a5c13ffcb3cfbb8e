<?php

/**
 * The functions of PHP with which the library looks at texts, each counting the bytes it may see.
 *
 * The library calls them without a namespace, so that these take their place for a test.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Growth;

/** The work of the library, in steps: statements, and bytes that functions of PHP look at. */
final class Counted
{
    /** @var int */
    public static $steps = 0;

    /** Functions that look at a whole text, with the index of the argument. */
    private const WHOLE = [
        'str_replace' => 2, 'strtr' => 0, 'html_entity_decode' => 0, 'count_chars' => 0,
        'preg_split' => 1, 'preg_replace' => 2, 'preg_replace_callback' => 2,
        'ltrim' => 0, 'trim' => 0, 'substr_count' => 0, 'strpbrk' => 0, 'strrpos' => 0, 'hash' => 1,
        'rtrim' => 0, 'stripos' => 0,
        'str_pad' => 0,
    ];

    /** Functions whose result is as long as what they look at. */
    private const RESULT = ['substr', 'strspn', 'strcspn', 'implode', 'array_slice', 'array_map'];

    /** The code that declares the counting functions in a namespace. */
    public static function code(string $namespace): string
    {
        $counter = '\\' . self::class . '::$steps';
        $code = "namespace $namespace;\n";
        foreach (self::WHOLE as $name => $argument) {
            $code .= "function $name(...\$a) { $counter += \\strlen((string) \$a[$argument]);"
                . " return \\$name(...\$a); }\n";
        }
        foreach (self::RESULT as $name) {
            $code .= "function $name(...\$a) { \$r = \\$name(...\$a); $counter += \\is_int(\$r)"
                . ' ? $r : (\\is_array($r) ? \\count($r) : \\strlen((string) $r)); return $r; }' . "\n";
        }
        // A place that is found; all of the rest if there is none.
        $code .= "function preg_match(\$p, \$t, &\$m = null, \$f = 0, \$o = 0)"
            . " { \$r = \\preg_match(\$p, \$t, \$m, \$f, \$o); $counter += (\$r === 1 &&"
            . " \$f === PREG_OFFSET_CAPTURE ? \$m[0][1] + \\strlen(\$m[0][0]) : \\strlen(\$t)) - \$o;"
            . " return \$r; }\n";
        return $code . "function strpos(\$t, \$s, \$o = 0) { \$r = \\strpos(\$t, \$s, \$o);"
            . " $counter += (\$r === false ? \\strlen(\$t) : \$r) - \$o; return \$r; }\n";
    }

    /** Loads the library's files with a tick for each statement. */
    public static function load(): void
    {
        $namespaces = [
            '', '\\Plain', '\\Plain\\Detect', '\\Plain\\Json', '\\Plain\\Detect\\Format',
            '\\Plain\\Detect\\Literal', '\\Plain\\Detect\\Marked', '\\Plain\\Detect\\Near',
            '\\Plain\\Detect\\Profile', '\\Plain\\Detect\\Typed', '\\Plain\\Redact',
        ];
        foreach ($namespaces as $namespace) {
            eval(self::code("Toolwire$namespace"));
        }
        spl_autoload_register(static function (string $class): void {
            $name = str_replace('\\', '/', substr($class, strlen('Toolwire\\')));
            $code = (string) file_get_contents(__DIR__ . "/../../../php/toolwire/src/$name.php");
            $ticks = 'declare(strict_types=1); declare(ticks=1);';
            eval(substr(str_replace('declare(strict_types=1);', $ticks, $code), strlen('<?php')));
        });
        register_tick_function(static function (): void {
            self::$steps++;
        });
    }
}
