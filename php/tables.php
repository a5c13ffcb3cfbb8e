<?php

/**
 * Writes core's tables of formats and profiles as PHP, for the library in plain PHP.
 *
 * `php php/tables.php` writes them; `php php/tables.php --check` fails where one is not current.
 */

declare(strict_types=1);

namespace Toolwire\Tables;

const WIDEST = 100;
const CORE = __DIR__ . '/../core/src/detect';
const LIBRARY = __DIR__ . '/toolwire/src/Plain/Detect';

/** The tables: folder of the library, core's file, what it is. */
const TABLES = [
    ['Format', 'format/builtin.json', 'The built-in formats'],
    ['Profile', 'profile/builtin.json', 'The built-in profiles, and what they are made of'],
];

/** A text as PHP code, in parts that fit into a line. */
function text(string $text, string $indent): string
{
    $plain = preg_match('/[\x00-\x1f]/', $text) === 0;
    $parts = [];
    $part = '';
    foreach (preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY) as $letter) {
        $part .= $letter;
        if (mb_strlen(quoted($part, $plain)) + strlen($indent) > WIDEST - 40) {
            $parts[] = quoted($part, $plain);
            $part = '';
        }
    }
    if ($part !== '' || $parts === []) {
        $parts[] = quoted($part, $plain);
    }
    return implode("\n$indent    . ", $parts);
}

function quoted(string $text, bool $plain): string
{
    if ($plain) {
        return "'" . addcslashes($text, "\\'") . "'";
    }
    return '"' . addcslashes($text, "\\\"\$\n\r\t\0..\37") . '"';
}

/**
 * A list or map of scalars in one line; null for any other.
 *
 * @param array<array-key, mixed> $value
 */
function in_one_line(array $value, bool $list): ?string
{
    $parts = [];
    foreach ($value as $key => $entry) {
        $code = is_array($entry) ? "\n" : code($entry, '');
        if (strpos($code, "\n") !== false) {
            return null;
        }
        $parts[] = ($list ? '' : text((string) $key, '') . ' => ') . $code;
    }
    return '[' . implode(', ', $parts) . ']';
}

/** @param mixed $value what JSON holds */
function code($value, string $indent): string
{
    if (is_string($value)) {
        return text($value, $indent);
    }
    if (!is_array($value)) {
        return var_export($value, true);
    }
    $list = array_keys($value) === range(0, count($value) - 1);
    $short = in_one_line($value, $list);
    if ($short !== null && mb_strlen($indent . $short) <= WIDEST - 40) {
        return $short;
    }
    $inner = "$indent    ";
    $lines = [];
    foreach ($value as $key => $entry) {
        $lines[] = $inner . ($list ? '' : text((string) $key, $inner) . ' => ')
            . code($entry, $inner) . ",\n";
    }
    return $value === [] ? '[]' : "[\n" . implode('', $lines) . "$indent]";
}

function table(string $folder, string $file, string $what): string
{
    $flags = JSON_THROW_ON_ERROR;
    $all = json_decode((string) file_get_contents(CORE . "/$file"), true, 64, $flags);
    return <<<PHP
        <?php

        declare(strict_types=1);

        namespace Toolwire\\Plain\\Detect\\$folder;

        /**
         * $what, as core has them.
         *
         * php/tables.php makes this file of core/src/detect/$file.
         */
        final class Table
        {
            public const ALL = 
        PHP . ' ' . code($all, '    ') . ";\n}\n";
}

$stale = 0;
foreach (TABLES as [$folder, $file, $what]) {
    $path = LIBRARY . "/$folder/Table.php";
    $code = str_replace('ALL =  [', 'ALL = [', table($folder, $file, $what));
    if (($argv[1] ?? '') !== '--check') {
        file_put_contents($path, $code);
    } elseif (!is_file($path) || file_get_contents($path) !== $code) {
        fwrite(STDERR, "$path is not what php/tables.php makes of core/src/detect/$file\n");
        $stale++;
    }
}
exit($stale === 0 ? 0 : 1);
