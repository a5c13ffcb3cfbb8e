<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\WordPress\Tools;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** How tools are registered, and the built-in ones. */
final class ToolsTest extends SiteTestCase
{
    private static function offer(string $name, array $arguments): bool
    {
        $added = false;
        $offer = static function (Tools $tools) use (&$added, $name, $arguments): void {
            $added = $tools->register($name, $arguments);
        };
        add_action('toolwire_register_tools', $offer, 99);
        plugin()->engines()->reset();
        plugin()->engines()->get();
        remove_action('toolwire_register_tools', $offer, 99);
        return $added;
    }

    /** @return iterable<string, array{string, array<string, mixed>, string}> */
    public static function misuse(): iterable
    {
        $good = ['callback' => '__return_null', 'capability' => 'read'];
        yield 'no callback' => ['a', ['capability' => 'read'], 'callback must be callable'];
        yield 'no right' => ['a', ['callback' => '__return_null'], 'a tool needs a capability'];
        yield 'an unknown argument' => [
            'a',
            $good + ['capabilty' => 'x'],
            'unknown arguments: capabilty',
        ];
        yield 'a name that models cannot write' => ['a b', $good, 'a b'];
        yield 'a schema that is none' => [
            'a',
            $good + ['input_schema' => ['type' => 'objekt']],
            'schema',
        ];
        yield 'an undo that is none' => [
            'a',
            $good + ['undo_callback' => 'nobody_knows_it'],
            'undo_callback must be callable',
        ];
        yield 'a time that is none' => ['a', $good + ['timeout_seconds' => 0], 'timeoutSeconds'];
        yield 'a limit that is none' => ['a', $good + ['rate_limit' => [0, 0]], 'rate'];
    }

    /** @dataProvider misuse */
    public function testMisuseIsToldAndBreaksNothing(
        string $name,
        array $arguments,
        string $why,
    ): void {
        $told = [];
        $listen = static function ($function, $message) use (&$told): void {
            $told[] = $message;
        };
        add_action('doing_it_wrong_run', $listen, 10, 2);
        add_filter('doing_it_wrong_trigger_error', '__return_false');
        self::assertFalse(self::offer($name, $arguments));
        remove_filter('doing_it_wrong_trigger_error', '__return_false');
        remove_action('doing_it_wrong_run', $listen);
        self::assertCount(1, $told);
        self::assertStringContainsString($why, html_entity_decode($told[0], ENT_QUOTES));
        self::assertSame('completed', self::call('site_info')['state']);
    }

    public function testCodeInASchemaIsReportedAndTheToolRuns(): void
    {
        $told = [];
        $listen = static function ($function, $message) use (&$told): void {
            $told[] = $message;
        };
        add_action('doing_it_wrong_run', $listen, 10, 2);
        add_filter('doing_it_wrong_trigger_error', '__return_false');
        self::assertTrue(self::offer('coded', [
            'capability' => 'read', 'callback' => '__return_empty_array', 'approval' => false,
            'input_schema' => ['type' => 'object', 'properties' => ['a' => [
                'type' => 'string', 'required' => true, 'validate_callback' => static fn () => true,
                'enum' => ['k' => 'x'],
            ]]],
        ]));
        remove_filter('doing_it_wrong_trigger_error', '__return_false');
        remove_action('doing_it_wrong_run', $listen);
        self::assertCount(1, $told);
        self::assertStringContainsString('/properties/a/validate_callback', $told[0]);
        self::assertSame('invalid_input', self::call('coded')['error_code']);
        self::assertSame('invalid_input', self::call('coded', '{"a":"y"}')['error_code']);
        self::assertSame('completed', self::call('coded', '{"a":"x"}')['state']);
    }

    public function testEachProviderTakesTheToolsOfTheSite(): void
    {
        self::assertTrue(self::offer('odd', [
            'capability' => 'read', 'callback' => '__return_empty_array',
            'input_schema' => ['type' => 'object', 'properties' => [
                'ids' => ['type' => 'array', 'required' => true],
                'until' => ['type' => ['string', 'null'], 'enum' => ['now' => 'now', 'later' => 'later']],
            ]],
        ]));
        $registry = plugin()->engines()->get()->tools->registry;
        foreach ([
            'openai', 'openai_responses', 'anthropic', 'gemini', 'bedrock', 'ollama', 'mistral', 'cohere',
        ] as $provider) {
            $written = (string) json_encode($registry->toProvider($provider));
            foreach (['site_info', 'list_posts', 'update_post', 'odd'] as $tool) {
                self::assertStringContainsString("\"name\":\"$tool\"", $written, $provider);
            }
            self::assertStringContainsString('"type":"array","items":{}', $written, $provider);
            self::assertStringContainsString('"enum":["now","later"]', $written, $provider);
        }
    }

    public function testWhatACallbackGivesIsTaken(): void
    {
        foreach ([
            [5, '{"value":5}'], [['a' => 1], '{"a":1}'], [null, 'null'], ['x', '{"value":"x"}'],
        ] as [$given, $result]) {
            self::assertTrue(
                self::offer('give', [
                    'callback' => static fn () => $given,
                    'capability' => 'read',
                    'approval' => false,
                ])
            );
            self::assertSame($result, self::call('give')['result']);
        }
        $error = static fn () => new WP_Error('no', 'It is closed.');
        self::offer('give', ['callback' => $error, 'capability' => 'read', 'approval' => false]);
        $row = self::call('give');
        self::assertSame(
            ['failed', 'tool_error', 'It is closed.'],
            [$row['state'], $row['error_code'], $row['error']]
        );
    }

    public function testAToolNeedsApprovalUnlessItSaysOtherwise(): void
    {
        self::offer('careful', ['callback' => '__return_null', 'capability' => 'read']);
        self::assertSame('waiting', self::call('careful')['state']);
        add_filter('toolwire_requires_approval', '__return_false');
        self::offer('careful', ['callback' => '__return_null', 'capability' => 'read']);
        self::assertSame('completed', self::call('careful')['state']);
        remove_filter('toolwire_requires_approval', '__return_false');
    }

    public function testWhatAToolKeepsToItselfIsNotLogged(): void
    {
        self::offer('quiet', [
            'callback' => static fn () => ['key' => 'abc'], 'capability' => 'read',
            'approval' => false, 'log_result' => false,
        ]);
        $row = self::call('quiet');
        self::assertSame(['completed', null], [$row['state'], $row['result']]);
    }

    public function testTheReasonOfAPermissionCallbackIsTold(): void
    {
        $refuse = static fn () => new WP_Error('no', 'Only on Mondays.');
        self::offer(
            'mondays',
            ['callback' => '__return_null', 'permission_callback' => $refuse, 'approval' => false]
        );
        $row = self::call('mondays');
        self::assertSame('permission_denied', $row['error_code']);
        self::assertStringContainsString('Only on Mondays.', $row['error']);
    }

    public function testPostsAreListedThatTheUserMayEdit(): void
    {
        $this->as('author');
        $mine = self::aPost('Of the author');
        $this->as('admin');
        $draft = wp_insert_post([
            'post_title' => 'Of the admin',
            'post_status' => 'draft',
            'post_content' => 'x',
        ]);
        $ids = static fn (array $row): array => array_column(
            json_decode($row['result'], true)['posts'],
            'id'
        );
        $all = $ids(self::call('list_posts', '{"number":50}'));
        self::assertContains($mine, $all);
        self::assertContains($draft, $all);
        $this->as('author');
        $some = $ids(self::call('list_posts', '{"number":50}'));
        self::assertContains($mine, $some);
        self::assertNotContains($draft, $some);
        self::assertSame(
            [$mine],
            $ids(
                self::call('list_posts', '{"search":"Of the author","number":1,"status":"publish"}')
            )
        );
        self::assertSame(
            'invalid_input',
            self::call('list_posts', '{"type":"revision"}')['error_code']
        );
    }

    public function testAnAuthorChangesNobodyElsesPost(): void
    {
        $this->as('admin');
        $post = self::aPost();
        $page = wp_insert_post([
            'post_type' => 'page', 'post_title' => 'A page', 'post_status' => 'publish',
        ]);
        $this->as('author');
        foreach ([$post, $page] as $id) {
            self::assertSame(
                'permission_denied',
                self::call(
                    'update_post',
                    wp_json_encode(['post_id' => $id, 'title' => 'x'])
                )['error_code']
            );
        }
        self::assertSame(
            'invalid_input',
            self::call('update_post', wp_json_encode(['post_id' => self::aPost()]))['error_code']
        );
    }

    public function testMarkupThatAUserMayNotWriteIsTakenOut(): void
    {
        $this->as('author');
        $id = self::aPost();
        $row = self::call(
            'update_post',
            wp_json_encode(['post_id' => $id, 'content' => '<b>x</b><script>alert(1)</script>'])
        );
        $this->as('admin');
        self::assertSame('completed', self::decide($row, true)['state']);
        self::assertSame(
            '<b>x</b>alert(1)',
            get_post($id)->post_content,
            'it is written as the author would'
        );
    }

    public function testTheOwnerMayTurnTheBuiltInToolsOff(): void
    {
        $this->settings(['built_in' => false]);
        self::assertSame('tool_not_found', self::call('site_info')['error_code']);
    }
}
