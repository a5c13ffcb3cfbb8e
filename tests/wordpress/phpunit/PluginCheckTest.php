<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use PHPUnit\Framework\TestCase;

/** What wordpress/plugin-check.php, which `make lint` runs, finds and lets pass. */
final class PluginCheckTest extends TestCase
{
    /** @return array{int, list<string>} the status, and what is printed */
    private static function check(string $folder): array
    {
        $script = dirname(__DIR__, 3) . '/wordpress/plugin-check.php';
        exec(PHP_BINARY . " $script $folder 2>&1", $lines, $status);
        return [$status, $lines];
    }

    /** @return array{int, list<string>} */
    private static function checkCode(string $code): array
    {
        $folder = sys_get_temp_dir() . '/toolwire-check-' . getmypid();
        mkdir($folder);
        file_put_contents("$folder/a.php", "<?php\n$code\n");
        $found = self::check($folder);
        unlink("$folder/a.php");
        rmdir($folder);
        return $found;
    }

    public function testThePluginIsClean(): void
    {
        self::assertSame([0, []], self::check(dirname(__DIR__, 3) . '/wordpress/toolwire'));
    }

    public function testOutputThatNothingEscapesIsFound(): void
    {
        foreach ([
            'echo $text;', 'echo "<p>$text</p>";', 'print $text;', 'printf( "%s", $text );',
            'printf( "%s", $this->html( $text ) );', 'echo strrev( esc_html( $text ) );',
            'echo $is ? esc_html( $text ) : $text;', 'throw new Error( "no $text" );',
            'echo esc_html( $text ) . $text;', 'echo self::TEXTS[ $text ];',
            'printf( "%s", sprintf( "%s", $text ) );', 'echo get_option( "text" );',
        ] as $code) {
            [$status, $lines] = self::checkCode($code);
            self::assertSame([1, 1], [$status, count($lines)], $code);
            self::assertStringContainsString('a.php:2: not escaped', $lines[0], $code);
        }
    }

    public function testTextsThatNoCommentExplainsAreFound(): void
    {
        foreach ([
            '$a = __( "On %s", "toolwire" );', '$a = _n( "One", "%d", 2, "toolwire" );',
            "/* translators: a day. */\n\n\$a = esc_html__( 'On %1\$s', 'toolwire' );",
        ] as $code) {
            [$status, $lines] = self::checkCode($code);
            self::assertSame([1, 1], [$status, count($lines)], $code);
            self::assertStringContainsString('translators', $lines[0], $code);
        }
    }

    public function testWhatIsEscapedOrExplainedPasses(): void
    {
        foreach ([
            'echo esc_html( $text ), "<br>", (int) $number;', 'echo $is ? "yes" : "no";',
            'printf( "%s%d", esc_attr( strrev( $text ) ), (int) $this->of( $a, $b ) );',
            'throw $text;', 'throw new Error( "no" );', '$text = sprintf( "%s", $text );',
            "// phpcs:ignore WordPress.Security.EscapeOutput -- it is escaped.\necho \$text;",
            "/* translators: %s: a day. */\n\$a = __( 'On %s', 'toolwire' );",
            '$a = __( "100 %% of it", "toolwire" );', '$this->printf( $text );',
        ] as $code) {
            self::assertSame([0, []], self::checkCode($code), $code);
        }
    }
}
