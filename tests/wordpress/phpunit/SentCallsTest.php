<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use RuntimeException;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** Calls that could not be run. */
final class SentCallsTest extends SiteTestCase
{
    public function testWhyACallCouldNotBeRunIsReportedAndNotAnswered(): void
    {
        $call = self::parsed('test_count');
        $table = plugin()->schema()->calls_table();
        // As a drop-in for the database does that has lost its server.
        $refuse = static fn (string $query): string => str_starts_with(ltrim($query), 'SELECT')
            || !str_contains($query, $table)
                ? $query
                : throw new RuntimeException('lost db.example.test');
        add_filter('query', $refuse);
        [$refused, $told] = self::warned(
            static fn () => plugin()->sent_calls()->run($call, 'x', 'because', 'rest')
        );
        remove_filter('query', $refuse);
        self::assertInstanceOf(WP_Error::class, $refused);
        self::assertSame('toolwire_not_run', $refused->get_error_code());
        self::assertStringNotContainsString('db.example.test', $refused->get_error_message());
        self::assertSame(
            ['Toolwire could not run a call of test_count: lost db.example.test'],
            $told
        );
        self::assertSame(0, self::counted());
    }
}
