<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use WP_Ability;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** A test of abilities that become calls of this site, whoever runs them. */
abstract class GateTestCase extends SiteTestCase
{
    protected const TEXT = ['type' => 'object', 'properties' => [
        'text' => ['type' => 'string'], 'n' => ['type' => 'integer'],
    ], 'required' => ['text']];

    /** @var list<mixed> What the abilities' own code got. */
    protected array $ran = [];

    protected mixed $gives = null;

    protected function setUp(): void
    {
        parent::setUp();
        $this->ran = [];
        $this->gives = null;
        $this->settings(['gate' => 'writing']);
    }

    protected function tearDown(): void
    {
        remove_all_filters('toolwire_gate_ability');
        parent::tearDown();
    }

    /** @param array<string, mixed> $arguments */
    protected function ability(array $arguments = [], bool $reads = false): WP_Ability
    {
        static $number = 0;
        $name = 'shop/gated-' . ++$number;
        $arguments += [
            'label' => 'L', 'description' => 'D', 'category' => 'tests',
            'input_schema' => self::TEXT,
            'execute_callback' => function ($input = null) {
                $this->ran[] = $input;
                return $this->gives ?? ['got' => $input, 'by' => get_current_user_id()];
            },
            'permission_callback' => static fn (): bool => current_user_can('edit_posts'),
            'meta' => ['annotations' => ['readonly' => $reads]],
        ];
        $made = class_exists('WP_Abilities_Registry')
            ? \WP_Abilities_Registry::get_instance()->register($name, $arguments)
            : wp_register_ability($name, $arguments);
        plugin()->engines()->reset();
        return $made;
    }

    protected static function isOld(): bool
    {
        return version_compare($GLOBALS['wp_version'], '7.1', '<');
    }

    /** @return array<string, ?string> */
    protected function waits(mixed $answer): array
    {
        self::assertInstanceOf(WP_Error::class, $answer);
        self::assertCode('toolwire_waiting', $answer);
        $data = $answer->get_error_data();
        self::assertSame(['status', 'call', 'decide_at'], array_keys($data));
        $row = plugin()->call_log()->find($data['call']);
        self::assertSame(
            [202, 'waiting', 'ability'],
            [$data['status'], $row['state'], $row['origin']]
        );
        self::assertSame(
            admin_url("admin.php?page=toolwire&request={$row['approval_id']}"),
            $data['decide_at']
        );
        self::assertStringContainsString($data['decide_at'], $answer->get_error_message());
        return $row;
    }

    protected static function assertCode(string $code, mixed $answer): void
    {
        self::assertInstanceOf(WP_Error::class, $answer);
        self::assertSame($code, $answer->get_error_code(), $answer->get_error_message());
    }

    /** @return list<array<string, ?string>> */
    protected static function rows(): array
    {
        return plugin()->schema()->calls('ORDER BY id', []);
    }
}
