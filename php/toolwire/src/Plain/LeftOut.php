<?php

declare(strict_types=1);

namespace Toolwire\Plain;

use Error;
use Exception;
use Throwable;
use Toolwire\Exception\ExtensionNeeded;

/**
 * What the library in plain PHP leaves out of what the extension has, all in one place.
 *
 * Whoever uses any of it gets an {@see ExtensionNeeded}. The page docs/plain-php.md shows the list.
 */
final class LeftOut
{
    /** Classes and interfaces, behind `Toolwire\`. */
    public const CLASSES = [
        'Accumulator', 'Chunks', 'Comment', 'Constraint', 'ConstraintNote', 'Detections', 'Diff',
        'DiffLine', 'DiffResult', 'Entry', 'Event', 'Exchange', 'Patch', 'Provider',
        'ProviderItem', 'ProviderRejection', 'ProviderResult', 'Reader', 'Reply', 'Stream',
        'Tokens', 'Transcript',
    ];

    /** Namespaces behind `Toolwire\`, with everything in them that the library has no file of. */
    public const NAMESPACES = ['Tools'];

    /** Methods of classes that the library has. */
    public const METHODS = [
        'Detector::stream', 'Detector::renderCall', 'Detector::renderCalls',
        'Detector::renderMessage', 'Detector::constrain', 'Text::quote',
        'Tools\\Registry::renderPrompt', 'Tools\\Registry::parseAndResolve',
        'Tools\\Executor::listen', 'Tools\\Executor::toProvider', 'Tools\\Executor::execute',
        'Tools\\Executor::start', 'Tools\\Executor::run', 'Tools\\Executor::interruptOpenRuns',
        'Tools\\Executor::resume', 'Tools\\Executor::retry', 'Tools\\Executor::waiting',
        'Tools\\Executor::forget', 'Tools\\Executor::input', 'Tools\\Executor::fingerprint',
        'Tools\\Executor::approve', 'Tools\\Executor::undo',
    ];

    /** Options of a detector, with the values that it refuses; null for every value. */
    public const OPTIONS = [
        'template' => null, 'coerce' => [true], 'validate' => ['report', 'reject'],
    ];

    /** What is asked of PHP itself where it only wants to know whether there is a class. */
    private const QUESTIONS = [
        'class_exists', 'interface_exists', 'trait_exists', 'enum_exists', 'is_a', 'is_callable',
        'is_subclass_of', 'method_exists', 'property_exists', 'class_implements', 'class_parents',
        'class_uses', 'defined', 'unserialize', 'get_class_methods', 'spl_autoload_call',
    ];

    /** What calling a method of a class throws that the library has no such method of. */
    public static function method(string $class, string $name): Throwable
    {
        $method = substr($class, strlen('Toolwire\\')) . "::$name";
        return in_array($method, self::METHODS, true)
            ? self::error("$method()")
            : new Error("Call to undefined method $class::$name()");
    }

    /** The exception for something that is left out. */
    public static function error(string $what): ExtensionNeeded
    {
        return new ExtensionNeeded(
            "$what needs the PHP extension toolwire, which this PHP has not loaded; "
            . 'see docs/install.md of Toolwire for how to install it'
        );
    }

    /** Refuses something if it is used. */
    public static function refuse(bool $used, string $what): void
    {
        if ($used) {
            throw self::error($what);
        }
    }

    /** Whether a class with its namespace is left out. */
    public static function hasClass(string $class): bool
    {
        if (strncmp($class, 'Toolwire\\', 9) !== 0) {
            return false;
        }
        $name = substr($class, 9);
        $namespace = strtok($name, '\\');
        $isWithin = $namespace !== $name && in_array($namespace, self::NAMESPACES, true);
        return in_array($name, self::CLASSES, true)
            || ($isWithin && !is_file(dirname(__DIR__) . strtr("/$name.php", '\\', '/')));
    }

    /**
     * Takes part in autoloading: a class that is left out is an exception where it is used, and
     * merely not there for `class_exists()` and the like.
     */
    public static function autoload(string $class): void
    {
        if (!self::hasClass($class) || self::isAsked()) {
            return;
        }
        throw self::error("the class $class");
    }

    /** Whether PHP only wants to know whether there is a class. */
    private static function isAsked(): bool
    {
        // A host may have disabled the function, but not the traces of exceptions.
        $frames = function_exists('debug_backtrace')
            ? debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 6)
            : (new Exception())->getTrace();
        foreach ($frames as $frame) {
            $ours = ($frame['class'] ?? '') === self::class;
            if (!$ours && $frame['function'] !== 'spl_autoload_call') {
                $question = in_array($frame['function'], self::QUESTIONS, true);
                return $question && !isset($frame['class']);
            }
        }
        return false;
    }
}
