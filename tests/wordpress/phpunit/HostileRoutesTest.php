<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_REST_Request;

/**
 * Hostile requests to every route: no answer is a 500, and PHPUnit fails on notices.
 */
final class HostileRoutesTest extends SiteTestCase
{
    /** @return array<string, mixed> */
    private static function values(): array
    {
        return [
            'nothing' => null, 'empty' => '', 'a list' => ['x'], 'a list in a list' => [[['x']]],
            'a map' => ['a' => ['b' => 'c']], 'true' => true, 'a large number' => PHP_INT_MAX,
            'minus' => -1,
            'a fraction' => 1.5, 'digits' => str_repeat('9', 400), 'infinite' => '1e999',
            'no UTF-8' => "\xff\xfe\xc0\x80", 'cut UTF-8' => "caf\xc3", 'NUL' => "a\0b",
            'long' => str_repeat('é', 70000),
            'quotes' => "' OR 1=1 -- \\", 'markup' => '<script>alert(1)</script>',
            'a date' => '2026-02-31',
            'JSON' => '{"a":', 'an object' => '{}', 'deep' => str_repeat('[', 5000),
            'marks' => "\u{202e}\u{200b}%s%d%",
        ];
    }

    /**
     * @return list<array{string, string, array<string, mixed>}> method, path with a good id,
     *     arguments
     */
    private static function routes(string $call, string $approval): array
    {
        $routes = [];
        // The index of the namespace is a route of WordPress.
        $registered = rest_get_server()->get_routes('toolwire/v1');
        unset($registered['/toolwire/v1']);
        foreach ($registered as $pattern => $handlers) {
            foreach ($handlers as $handler) {
                $id = str_contains($pattern, '/approvals/') ? $approval : $call;
                $path = preg_replace('/\(\?P<\w+>[^()]*\)/', $id, $pattern);
                self::assertStringNotContainsString(
                    '(',
                    $path,
                    "$pattern: name a value for its parameter here"
                );
                foreach (array_keys($handler['methods']) as $method) {
                    $routes[] = [$method, $path, $handler['args'] ?? []];
                }
            }
        }
        return $routes;
    }

    private static function send(
        string $method,
        string $path,
        string $place,
        array $parameters,
    ): void {
        $request = new WP_REST_Request($method, $path);
        if ($place === 'query') {
            $request->set_query_params($parameters);
        } elseif ($place === 'form') {
            $request->set_header('Content-Type', 'application/x-www-form-urlencoded');
            $request->set_body_params($parameters);
        } else {
            $request->set_header('Content-Type', 'application/json');
            $request->set_body((string) wp_json_encode($parameters));
        }
        $told = "$method $path, $place: " . substr((string) wp_json_encode($parameters), 0, 300);
        try {
            $answer = rest_do_request($request);
            $written = wp_json_encode(rest_get_server()->response_to_data($answer, false));
        } catch (\Throwable $thrown) {
            self::fail("$told: $thrown");
        }
        self::assertLessThan(500, $answer->get_status(), $told);
        self::assertIsString($written, $told);
    }

    /** Good values of the required parameters, so that a route looks at the hostile ones too. */
    private static function good(array $arguments): array
    {
        $good = [
            'text' => 'Hi <tool:test_count>{}</tool>', 'name' => 'test_count', 'message' => 'hello',
            'granted' => false, 'decisions' => [['id' => 'abcdef12', 'granted' => true]],
        ];
        return array_intersect_key(
            $good,
            array_filter($arguments, static fn ($argument) => !empty($argument['required']))
        );
    }

    public function testNoParameterOfAnyRouteMakesAFailure(): void
    {
        $this->settings(['calls_per_minute' => 10000, 'bound_calls' => false]);
        $done = self::call('test_count');
        $waits = self::call('test_ask');
        $routes = self::routes($done['action_id'], $waits['approval_id']);
        self::assertGreaterThan(7, count($routes));
        foreach ($routes as [$method, $path, $arguments]) {
            foreach ($method === 'GET' ? ['query'] : ['query', 'form', 'json'] as $place) {
                self::send($method, $path, $place, []);
                foreach (array_keys($arguments + ['id' => 1, 'unknown' => 1]) as $name) {
                    foreach (self::values() as $value) {
                        self::send(
                            $method,
                            $path,
                            $place,
                            [$name => $value] + self::good($arguments)
                        );
                    }
                }
                foreach (self::values() as $value) {
                    self::send(
                        $method,
                        $path,
                        $place,
                        array_fill_keys(array_keys($arguments), $value)
                    );
                }
            }
        }
    }
}
