<?php

/**
 * Compares the drop-in with the plain class on random packets, and prints what was compared.
 *
 *     php -d extension=build/toolwire.so -d toolwire.dropins=datamachine \
 *         tests/php/dropin/differential.php 100000 1
 *
 * The arguments are the number of packets to search, and the seed.
 */

declare(strict_types=1);

namespace Toolwire\Tests\Dropin;

use DataMachine\Engine\AI\Tools\PlainToolResultFinder;
use DataMachine\Engine\AI\Tools\ToolResultFinder;
use Throwable;

require __DIR__ . '/Listener.php';
require __DIR__ . '/Shelf.php';
require __DIR__ . '/RandomPackets.php';
require __DIR__ . '/Fingerprint.php';
require __DIR__ . '/weak.php';
require __DIR__ . '/strict.php';
require __DIR__ . '/../reference/ToolResultFinder.php';

/** Random arguments for a method, and whether a read overwrites one of them. */
function random_call(string $method, int $seed): array
{
    $random = new RandomPackets($seed);
    $arguments = match ($method) {
        'findHandlerResult' => [
            $random->packets(), $random->handlerArgument(), "step $seed", $seed % 5 !== 0,
        ],
        'findAllHandlerResults' => [$random->packets(), $random->handlers(), "step $seed"],
        'projectEnvelopeData' => [$seed % 20 === 0 ? $random->value(1) : $random->envelope()],
        default => [$random->packet()],
    };
    // Some arguments are left out, too many, or of another type.
    $length = match ($seed % 50) {
        7 => intdiv($seed, 50) % count($arguments),
        default => count($arguments),
    };
    $arguments = array_slice($arguments, 0, $length);
    if ($seed % 50 === 8) {
        $arguments[intdiv($seed, 50) % count($arguments)] = $random->value(1);
    }
    if ($seed % 50 === 9) {
        $arguments[] = 'one too many';
    }
    return [$arguments, $random->overwrites];
}

/** The effects of a call: what it returns, throws and logs, and its arguments afterwards. */
function observe(string $class, string $method, int $seed): array
{
    [$arguments, $overwrites] = random_call($method, $seed);
    $call = $seed % 2 === 0 ? '\strictly' : '\weakly';
    $before = Fingerprint::of($arguments);
    Listener::start($seed % 11 === 0);
    try {
        $outcome = ['returned', $call($class, $method, $arguments)];
    } catch (Throwable $thrown) {
        $message = str_replace(
            PlainToolResultFinder::class,
            ToolResultFinder::class,
            $thrown->getMessage()
        );
        $outcome = ['threw', $thrown::class, $message];
    }
    if (!$overwrites && Fingerprint::of($arguments) !== $before) {
        fail($class, $method, $seed, 'the arguments were changed');
    }
    $heard = Listener::$heard;
    Listener::start(false);
    $kind = $outcome[0] . (is_array($outcome[1]) && $outcome[1] !== [] ? ' something' : '');
    $count = is_array($arguments[0] ?? null) ? count($arguments[0]) : 0;
    return [Fingerprint::of($outcome, $heard, $arguments), $kind, $count];
}

function fail(string $class, string $method, int $seed, string $why): never
{
    fwrite(STDERR, "$class::$method, seed $seed: $why\n");
    exit(1);
}

// From PHP 8.5 on, PHP warns of NAN as a boolean or a text. The drop-in takes NAN as true in
// silence, since a handler of the warning could change what is being read.
set_error_handler(
    static fn (int $level, string $message): bool => str_contains($message, 'NAN value was coerced')
);
[, $wanted, $seed] = [...$argv, '100000', '1'];
$methods = [
    'findHandlerResult', 'findAllHandlerResults', 'projectResultData', 'projectEnvelopeData',
    'projectResultEnvelope', 'projectResultSuccess',
];
$searched = array_fill_keys($methods, 0);
$kinds = [];
$seed = (int) $seed;
while (min($searched['findHandlerResult'], $searched['findAllHandlerResults']) < $wanted) {
    foreach ($methods as $method) {
        [$plain, $kind, $count] = observe(PlainToolResultFinder::class, $method, $seed);
        [$dropin] = observe(ToolResultFinder::class, $method, $seed);
        if ($plain !== $dropin) {
            fail('', $method, $seed, "they differ\nplain   $plain\ndrop-in $dropin");
        }
        $searched[$method] += str_starts_with($method, 'find') ? $count : 1;
        $kinds["$method $kind"] = ($kinds["$method $kind"] ?? 0) + 1;
    }
    $seed++;
}
ksort($kinds);
echo json_encode(['searched' => $searched, 'kinds' => $kinds], JSON_PRETTY_PRINT), "\n";
