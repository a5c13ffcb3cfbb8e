<?php

/**
 * What the shared cases do not hold of the library in plain PHP: what is left out, its objects, its
 * package. `php -n tests/plain/library.php`
 */

declare(strict_types=1);

namespace Toolwire\Tests\Plain;

use ArrayObject;
use Error;
use Exception;
use Fiber;
use RuntimeException;
use stdClass;
use Throwable;
use Toolwire\Detection;
use Toolwire\Detector;
use Toolwire\Exception\ErrorKind;
use Toolwire\Exception\ExtensionNeeded;
use Toolwire\Exception\InvalidArgument;
use Toolwire\Exception\WrongType;
use Toolwire\Html;
use Toolwire\Plain\Detect\Format\Table as Formats;
use Toolwire\Plain\Detect\Profile\Table as Profiles;
use Toolwire\Plain\LeftOut;
use Toolwire\Profile;
use Toolwire\Redaction;
use Toolwire\Rejection;
use Toolwire\Report;
use Toolwire\Seen;
use Toolwire\ToolCall;
use Toolwire\ToolResult;
use Toolwire\ToolResultFinder;
use Toolwire\Tools\Agent;
use Toolwire\Tools\Executor;
use Toolwire\Tools\Registry;

require __DIR__ . '/bootstrap.php';

const PACKAGE = __DIR__ . '/../../php/toolwire';

/**
 * Fails unless two values are the same.
 *
 * @param mixed $expected
 * @param mixed $found
 */
function same($expected, $found, string $what): void
{
    if ($expected !== $found) {
        $texts = [var_export($expected, true), var_export($found, true)];
        throw new RuntimeException("$what: $texts[1] instead of $texts[0]");
    }
}

/** Fails unless a function throws an exception of a class whose message holds a text. */
function throws(string $class, string $text, callable $function): void
{
    try {
        $function();
    } catch (Throwable $thrown) {
        same($class, get_class($thrown), $thrown->getMessage());
        same(true, strpos($thrown->getMessage(), $text) !== false, $thrown->getMessage());
        return;
    }
    throw new RuntimeException("nothing was thrown, $class was expected");
}

$tests = [
    'a class that is left out names the extension where it is used' => static function (): void {
        $tools = ['Tools\\ApprovalService', 'Tools\\Store\\Sqlite', 'Tools\\Execution'];
        foreach (array_merge(LeftOut::CLASSES, $tools) as $name) {
            $class = "Toolwire\\$name";
            same(false, class_exists($class), "class_exists($class)");
            same(false, is_callable([$class, 'json']), "is_callable($class)");
            same(false, is_subclass_of('stdClass', $class), "is_subclass_of($class)");
            $made = static function () use ($class): void {
                new $class();
            };
            throws(ExtensionNeeded::class, "the class $class needs the PHP extension", $made);
            throws(ExtensionNeeded::class, 'docs/install.md', static function () use ($class) {
                $class::json();
            });
        }
        throws(Error::class, 'not found', static function () {
            new \Toolwire\Nothing();
        });
    },
    'a method or an option that is left out names the extension' => static function (): void {
        foreach (LeftOut::METHODS as $name) {
            [$class, $method] = explode('::', $name);
            same($method === 'stream', method_exists("Toolwire\\$class", $method), $name);
            $class = "Toolwire\\$class";
            $has = ['Toolwire\\Tools\\Executor' => new Executor(new Registry())];
            $has += ['Toolwire\\Tools\\Registry' => new Registry()];
            $has += ['Toolwire\\Detection' => (new Detector())->detect('x')];
            $has += ['Toolwire\\Detector' => new Detector()];
            $used = static function () use ($class, $has, $method): void {
                // Nobody makes a Text.
                isset($has[$class]) ? $has[$class]->$method('x') : $class::$method('x');
            };
            throws(ExtensionNeeded::class, "$name() needs the PHP extension toolwire", $used);
        }
        throws(Error::class, 'undefined method', static function () {
            Detector::nothing();
        });
        $options = detectorOptions();
        foreach (LeftOut::OPTIONS as $name => $values) {
            foreach ($values ?? ['x'] as $value) {
                $given = array_fill_keys($options, null);
                $given[$name] = $value;
                throws(ExtensionNeeded::class, "the option $name", static function () use ($given) {
                    new Detector(...array_values($given));
                });
            }
        }
        throws(ExtensionNeeded::class, 'a format of your own', static function () {
            new Detector(['tag', ['slug' => 'x']]);
        });
        throws(ExtensionNeeded::class, 'an agent held to a grammar', static function () {
            $tools = new Executor(new Registry());
            $run = static function () {
            };
            $options = ['', 'openai', null, null, 'ask', null, null, null, false, $run, []];
            new Agent('strlen', 'qwen3', $tools, ...$options);
        });
    },
    'without an option every form of the library is read' => static function (): void {
        foreach (Detector::formats() as $format) {
            // Some forms are read only where they are named; another one has the keys of `xlam`,
            // and those of a call of Llama 3 without its marker.
            $named = ['xlam', 'llama3', 'kimi_k2_stripped', 'harmony_stripped', 'hyperclova', 'react'];
            $isNamed = in_array($format['slug'], array_merge($named, ['gemini', 'cline']), true);
            $detectors = [new Detector($format['slug'])] + ($isNamed ? [] : [1 => new Detector()]);
            foreach ($detectors as $detector) {
                same(
                    [$format['slug']],
                    array_column($detector->detect($format['example'])->calls, 'format'),
                    "the example of $format[slug]"
                );
            }
            $other = $format['slug'] === 'tag' ? 'html' : 'tag';
            $calls = (new Detector($other))->detect($format['example'])->calls;
            same([], $calls, "$format[slug] among $other alone");
        }
    },
    'masking takes as much time and memory as the text is long' => static function (): void {
        $redaction = Redaction::withDefaults();
        $seconds = static function (string $unit, int $bytes) use ($redaction): float {
            $began = microtime(true);
            $redaction->maskText(str_repeat($unit, intdiv($bytes, strlen($unit))));
            return microtime(true) - $began;
        };
        // Many beginnings of one token or of one word, none of which is a secret's.
        foreach (['-eyJaaaaaaaa-ghp_aaaaaaaaaaaaaaaaaaaa', 'Cookie:', 'pin:x'] as $unit) {
            $seconds($unit, 1000);
            $once = $seconds($unit, 30000);
            same(true, $seconds($unit, 240000) < 30 * max($once, 0.002), "the time for $unit");
        }
        foreach (['\\n', '&amp;', '%2541', "\u{200B}a", 'ghp_aaaaaaaaaaaaaaaaaaaa '] as $unit) {
            $before = max(memory_get_peak_usage(), memory_get_usage());
            $seconds($unit, 1000000);
            same(true, memory_get_peak_usage() - $before < 16000000, "the memory for $unit");
        }
    },
    'web tokens are masked wherever they begin' => static function (): void {
        $token = 'eyJaaaaaaaa.bbbbbbbb.cccccccc';
        $masked = [
            $token => '[redacted]', "x$token" => "x$token", "-$token.d" => '-[redacted].d',
            "eyJaaaaaaa.bbbbbbbb.cccccccc" => 'eyJaaaaaaa.bbbbbbbb.cccccccc',
            'eyJ-eyJaaaaaaaa.bbbbbbbb.cccccccc' => '[redacted]',
            'eyJaaaaaaaa.eyJbbbbbbbb.cccccccc.dddddddd' => '[redacted].dddddddd',
            'eyJaaaa.eyJbbbbbbbb.cccccccc.dddddddd' => 'eyJaaaa.[redacted]',
            "xoxb-aaaaaaaaaa-eyJ_-$token" => '[redacted]_-[redacted]',
            "eyJaaaaaaaa-ghp_aaaaaaaaaaaaaaaaaaaa-eyJ" => 'eyJaaaaaaaa-[redacted]-eyJ',
        ];
        foreach ($masked as $text => $expected) {
            same($expected, Redaction::withDefaults()->maskText($text), $text);
        }
    },
    'a profile is the model of a detector' => static function (): void {
        $options = array_fill_keys(detectorOptions(), null);
        $fields = static function (?Profile $profile, ?string $prompt = null) use ($options): array {
            $options['model'] = $profile;
            $options['prompt'] = $prompt;
            return (new Detector(...array_values($options)))->profile()->toArray();
        };
        $nearest = Detector::profileFor('deepseek-ai/DeepSeek-V3.4');
        same(false, $nearest->exact, 'the version');
        same($nearest->toArray(), $fields($nearest), 'the nearest version');
        foreach (Detector::profiles() as $profile) {
            same($profile->toArray(), $fields($profile), $profile->slug);
        }
        $qwen = Detector::profileFor('qwen3');
        same('think', $fields($qwen, '<think>')['reasoning_begun'], 'behind a prompt');
        same(null, $fields($qwen)['reasoning_begun'], 'the same profile again');
        throws(WrongType::class, 'formats', static function () use ($qwen): void {
            new Detector($qwen);
        });
    },
    'a need of the extension is told by its kind' => static function (): void {
        same('extension_needed', LeftOut::error('x')->getKind(), 'the kind');
        same(0, LeftOut::error('x')->getCode(), 'the code');
        same(22, count(ErrorKind::all()), 'the kinds');
    },
    'objects are read and not changed' => static function (): void {
        $found = (new Detector())->detect('<tool:a>{"x":[1]}</tool><tool:');
        $call = $found->calls[0];
        same(['a'], array_column($found->calls, 'name'), 'array_column()');
        same(1, $call->arguments['x'][0], 'an argument');
        same([true, false], [isset($call->name), isset($call->nothing)], 'isset()');
        same(true, empty($found->reasoning), 'empty()');
        foreach ([$found, $call, $found->rejections[0], $found->segments[0]] as $object) {
            $class = get_class($object);
            $name = $object instanceof Detection ? 'text' : 'span';
            $message = "Cannot modify readonly property $class::\$$name";
            throws(Error::class, $message, static function () use ($object, $name) {
                $object->$name = 'y';
            });
            throws(Error::class, 'dynamic property', static function () use ($object) {
                $object->nothing = 1;
            });
            $unset = static function () use ($object, $name): void {
                unset($object->$name);
            };
            throws(Error::class, 'Cannot unset readonly property', $unset);
            throws(Error::class, 'uncloneable', static function () use ($object) {
                clone $object;
            });
            throws(\ErrorException::class, 'Undefined property', static function () use ($object) {
                $object->nothing;
            });
        }
        throws(Error::class, 'twice', static function () {
            (new Detector())->__construct();
        });
        throws(Error::class, 'twice', static function () {
            (new ToolResult('t', true, []))->__construct('t', true, []);
        });
    },
    'objects can be saved and restored' => static function (): void {
        $text = "<think>a</think> <tool:a>{\"x\":{}}</tool>\xff <tool:b>{</tool>";
        $found = (new Detector())->detect($text);
        $result = new ToolResult("t\xff", false, ['a' => 1], 'no', 0.5);
        $all = [$found, $found->calls[0], $found->rejections[0], $found->segments[1], $result];
        foreach ($all as $object) {
            $class = get_class($object);
            $copies = [
                unserialize(serialize($object)), $class::fromArray($object->toArray()),
                eval('return ' . var_export($object, true) . ';'),
            ];
            foreach ($copies as $way => $copy) {
                same($object->toArray(), $copy->toArray(), "$class, way $way");
            }
        }
        same(true, unserialize(serialize($found))->calls[0] instanceof ToolCall, 'the class');
        $wrong = ['calls' => 5, 'input' => 'x', 'frame_spans' => [['start' => 2, 'end' => 1]]];
        foreach ($wrong as $name => $value) {
            $fields = [$name => $value] + $found->toArray();
            $said = $name === 'input' ? 'calls must be in the order of the text' : "$name must be";
            throws(InvalidArgument::class, $said, static function () use ($fields) {
                Detection::fromArray($fields);
            });
        }
        $fields = ['code' => 'nix'] + $found->rejections[0]->toArray();
        throws(InvalidArgument::class, 'one of the known words', static function () use ($fields) {
            Rejection::fromArray($fields);
        });
    },
    'what a callback gives is checked' => static function (): void {
        $found = (new Detector())->detect('<tool:a>{}</tool>');
        throws(WrongType::class, 'must be a string, got int', static function () use ($found) {
            $found->replace(static function () {
                return 1;
            });
        });
        throws(WrongType::class, 'must be callable', static function () use ($found) {
            $found->replace('nothing at all');
        });
        throws(WrongType::class, 'originals must be strings', static function () use ($found) {
            $found->locate([1]);
        });
        throws(WrongType::class, 'handlers must be strings', static function () {
            ToolResultFinder::findAllHandlerResults([], [1]);
        });
        $packet = ['type' => 'tool_result', 'metadata' => ['handler_tool' => 'h']];
        $filter = static function (?array $found, array $data, string $handler): ?array {
            $inner = ToolResultFinder::findHandlerResult($data, $handler);
            return $found === $inner ? ['filtered'] : null;
        };
        ToolResultFinder::setFilter($filter);
        same(['filtered'], ToolResultFinder::findHandlerResult([$packet], 'h'), 'the filter');
        ToolResultFinder::setFilter(static function () {
            return 'x';
        });
        throws(WrongType::class, 'an array or null, not string', static function () use ($packet) {
            ToolResultFinder::findHandlerResult([$packet], 'h');
        });
        ToolResultFinder::setFilter(null);
        same($packet, ToolResultFinder::findHandlerResult([$packet], 'h'), 'without a filter');
    },
    'many texts are searched one after the other' => static function (): void {
        $detector = new Detector();
        $asked = [];
        $texts = static function () use (&$asked): \Generator {
            foreach (['a', 'b'] as $key) {
                $asked[] = $key;
                yield $key => '<tool:echo>{}</tool>';
            }
        };
        $all = $detector->detectAll($texts());
        same([], $asked, 'nothing is asked for early');
        foreach ($all as $key => $found) {
            same([$key, 1], [end($asked), count($found)], 'a detection a text');
        }
        same(['a', 'b'], $asked, 'all texts');
        throws(WrongType::class, 'texts must be an array or a Traversable, got int', static function () {
            (new Detector())->detectAll(5);
        });
        throws(WrongType::class, 'each of texts must be string, got null', static function () {
            iterator_to_array((new Detector())->detectAll([null]));
        });
    },
    'calls that were seen are refused, the oldest is forgotten' => static function (): void {
        $seen = new Seen(2);
        $detector = new Detector(null, null, null, null, null, null, null, null, $seen);
        $count = static function (string $name) use ($detector): int {
            return count($detector->detect("<tool:$name>{}</tool>"));
        };
        $counts = [$count('a'), $count('a'), $count('b'), $count('c'), $count('a'), count($seen)];
        same([1, 0, 1, 1, 1, 2], $counts, 'the calls');
        $detector->detect('{"name":"a","id":"call_7","arguments":{}}');
        same([true, false], [$seen->containsId('call_7'), $seen->containsId('x')], 'containsId()');
        $seen->clear();
        same(0, count($seen), 'clear()');
    },
    'a report shows values of PHP' => static function (): void {
        $report = new Report();
        $data = ['o' => new ArrayObject(), 'm' => (object) ['x' => 1], 5 => []];
        $data += ['f' => 1e16, 'n' => null];
        $report->add(new ToolResult('7', true, $data, null, 0.5));
        $expected = "\n**7** (Success, Confidence: 50.0%):\n- o: ArrayObject\n- m: 1 properties\n"
            . "- 5: 0 items\n- f: 1e+16\n- n: None\n";
        same($expected, $report->summary(), 'the summary');
        same(1, json_decode($report->toJson())->by_tool->{'7'}->total, 'the report');
        same('{}', json_encode(json_decode((new Report())->toJson())->by_tool), 'no tools');
        $data['self'] = &$data;
        $report->add(new ToolResult('t', true, $data));
        throws(WrongType::class, 'nests deeper than 512', [$report, 'toJson']);
    },
    'what only the extension can use is not there, and asking ends nothing' => static function () {
        $names = ['Store\\Pdo', 'Store\\Redis', 'Store\\Key', 'Store\\Failure', 'Store\\PdoDialect'];
        array_push($names, 'Events\\EventLog', 'Events\\ToolEvent', 'Events\\EventDispatch');
        foreach ($names as $name) {
            $class = "Toolwire\\Tools\\$name";
            same([false, false], [class_exists($class), interface_exists($class)], $class);
            throws(ExtensionNeeded::class, "the class $class", static function () use ($class) {
                new $class('sqlite::memory:');
            });
        }
    },
    'numbers are written with the fewest digits, whatever ini_set says' => static function (): void {
        $values = [0.1, 1 / 3, 5.684341886080802e-14, 1e22, 1e23, 5e-324, 2.5e-323];
        array_push($values, 2.2250738585072014e-308, PHP_FLOAT_MAX, 123456789012345680.0, 9.5e-5);
        $texts = ['0.1', '0.3333333333333333', '5.684341886080802e-14', '1e+22', '1e+23', '5e-324'];
        array_push($texts, '2.5e-323', '2.2250738585072014e-308', '1.7976931348623157e+308');
        array_push($texts, '1.2345678901234568e+17', '9.5e-05');
        $before = ini_set('serialize_precision', '3');
        foreach ($values as $place => $value) {
            same('- k: ' . $texts[$place], Report::summarizeData(['k' => $value]), $texts[$place]);
            same('- k: -' . $texts[$place], Report::summarizeData(['k' => -$value]), $texts[$place]);
        }
        same('- k: -0.0', Report::summarizeData(['k' => -0.0]), 'a negative zero');
        ini_set('serialize_precision', (string) $before);
    },
    'null where a text belongs is the empty text, as for the extension' => static function (): void {
        same(0, count((new Detector())->detect(null)), 'detect()');
        same(null, ToolResultFinder::findHandlerResult([], null), 'findHandlerResult()');
        foreach ([null, 5, 1.5, true, ''] as $handlers) {
            same([], ToolResultFinder::findAllHandlerResults([], $handlers), 'the handlers');
        }
        $packet = ['type' => 'tool_result', 'metadata' => ['handler_tool' => '5']];
        same([$packet], ToolResultFinder::findAllHandlerResults([$packet], 5), 'a number');
        same(Html::call('', ''), Html::call(null, null), 'Html::call()');
        same(Html::result('', false, ''), Html::result(null, null, null), 'Html::result()');
        same(false, (new Seen())->containsId(null), 'containsId()');
        $result = new ToolResult(null, null, 1);
        same(['', false], [$result->tool, $result->success], 'a result');
        same('', ToolResult::fromReturned(null, 1)->tool, 'fromReturned()');
    },
    'a block of a call takes the arguments as the call has them' => static function (): void {
        $text = '<tool:t>{"a":"<é/\u2028>","n":[1.0,{"k":[]}],"7":null}</tool>';
        $call = (new Detector())->detect($text)->calls[0];
        $html = Html::call($call->name, $call->argumentsRaw);
        $json = '{"a":"<é/' . "\u{2028}" . '>","n":[1.0,{"k":[]}],"7":null}';
        same(Html::call('t', $json), Html::call($call->name, $call->arguments), 'an array');
        same(Html::call('t', $json), Html::call($call->name, $call->argumentsObject()), 'an object');
        same($html, Html::call($call->name, $call->argumentsRaw), 'JSON text');
        foreach ([[], new stdClass()] as $empty) {
            same(Html::call('t', '{}'), Html::call('t', $empty), 'no arguments');
        }
        throws(InvalidArgument::class, 'cannot be written as JSON', static function (): void {
            Html::call('t', ['n' => NAN]);
        });
    },
    'objects that hold more than fields are not copied and not saved' => static function (): void {
        foreach ([new Detector(), new Report(), new Seen()] as $object) {
            $class = get_class($object);
            throws(Exception::class, "Serialization of '$class'", static function () use ($object) {
                serialize($object);
            });
            $text = 'O:' . strlen($class) . ":\"$class\":0:{}";
            throws(Exception::class, "Unserialization of '$class'", static function () use ($text) {
                unserialize($text);
            });
            throws(Error::class, 'uncloneable', static function () use ($object) {
                clone $object;
            });
            throws(Error::class, 'dynamic property', static function () use ($object) {
                $object->nothing = 1;
            });
        }
    },
    'a number that is not finite is no option, and counts as true' => static function (): void {
        foreach (['formats', 'fences', 'repair', 'maxInput', 'htmlClass'] as $name) {
            $given = array_fill_keys(detectorOptions(), null);
            $given[strtolower((string) preg_replace('/[A-Z]/', '_$0', $name))] = NAN;
            throws(InvalidArgument::class, 'not finite', static function () use ($given) {
                new Detector(...array_values($given));
            });
        }
        $result = ToolResult::fromReturned('t', ['error' => NAN]);
        same([false, null], [$result->success, $result->errorMessage], 'an error');
        same(true, ToolResult::fromReturned('t', ['success' => NAN])->success, 'a success');
        same(true, ToolResult::fromReturned('t', NAN)->success, 'NAN itself');
    },
    'a filter that a fiber suspends holds in every other fiber' => static function (): void {
        if (!switchesFibers()) {
            return;
        }
        $packet = ['type' => 'tool_result', 'metadata' => ['handler_tool' => 'a']];
        ToolResultFinder::setFilter(static function ($found, array $data, string $handler) {
            $own = ToolResultFinder::findHandlerResult($data, $handler);
            if (Fiber::getCurrent() !== null) {
                Fiber::suspend();
            }
            return ['own' => isset($own['type']), 'filtered' => true];
        });
        $find = static function () use ($packet) {
            return ToolResultFinder::findHandlerResult([$packet], 'a');
        };
        $filtered = ['own' => true, 'filtered' => true];
        $fibers = [new Fiber($find), new Fiber($find)];
        $fibers[0]->start();
        same($filtered, $find(), 'outside');
        $fibers[1]->start();
        $fibers[0]->resume();
        same($filtered, $find(), 'after one has ended');
        $fibers[1]->resume();
        same([$filtered, $filtered], [$fibers[0]->getReturn(), $fibers[1]->getReturn()], 'in fibers');
        $lost = new Fiber($find);
        $lost->start();
        unset($lost);
        same($filtered, $find(), 'after one was dropped');
        ToolResultFinder::setFilter(null);
    },
    'the tables are those of core' => static function (): void {
        foreach (['format' => Formats::class, 'profile' => Profiles::class] as $of => $table) {
            $file = dirname(__DIR__, 2) . "/core/src/detect/$of/builtin.json";
            $core = json_decode((string) file_get_contents($file), true);
            same(true, $core === $table::ALL, "php php/tables.php was run for the table of $of");
        }
    },
    'each file holds the class that Composer looks for in it' => static function (): void {
        $composer = json_decode((string) file_get_contents(PACKAGE . '/composer.json'), true);
        same('toolwire/toolwire', $composer['name'], 'the name');
        same(['left-out.php'], $composer['autoload']['files'], 'the files');
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(PACKAGE . '/src'));
        $count = 0;
        foreach ($files as $file) {
            if (substr((string) $file, -4) !== '.php') {
                continue;
            }
            $name = substr((string) $file, strlen(PACKAGE . '/src/'), -4);
            // What the extension alone can use is loaded by left-out.php, where it is.
            $folder = strtok($name, '/');
            $ofTools = in_array("/src/$folder/", $composer['autoload']['exclude-from-classmap'], true);
            $class = ($ofTools ? 'Toolwire\\Tools\\' : 'Toolwire\\') . str_replace('/', '\\', $name);
            $code = (string) file_get_contents((string) $file);
            $parts = explode('\\', $class);
            $last = array_pop($parts);
            $declared = preg_match('/^namespace ' . preg_quote(implode('\\', $parts)) . ';/m', $code)
                && preg_match("/^(final )?(class|trait|interface) $last\\b/m", $code);
            same(1, (int) $declared, "$name holds $class");
            $count++;
        }
        same(true, $count > 50, 'the number of files');
    },
];

/** PHP as WebAssembly ends the process at the first fiber: it lacks what switches between them. */
function switchesFibers(): bool
{
    return PHP_VERSION_ID >= 80100 && php_uname('m') !== 'wasm32';
}

/** @return list<string> the options of a detector, in their order */
function detectorOptions(): array
{
    require_once __DIR__ . '/DetectionCheck.php';
    return DetectionCheck::OPTIONS;
}

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
    } catch (Throwable $thrown) {
        $failed++;
        fwrite(STDERR, "$name: {$thrown->getMessage()} (line {$thrown->getLine()})\n");
    }
}
$without = switchesFibers() ? '' : '; fibers cannot be switched in this PHP, and were not tested';
printf("PHP %s: %d tests of the library, %d failed", PHP_VERSION, count($tests), $failed);
echo "$without\n";
exit($failed === 0 ? 0 : 1);
