<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use Toolwire\Detector;
use Toolwire\WordPress\Settings;
use WP_Error;

use function Toolwire\WordPress\plugin;

/** What the chat shows of a reply, and what it says when there is none. */
final class ChatPartsTest extends SiteTestCase
{
    /** @var array<string, mixed> the filters of the site for tests */
    private array $hooks = [];

    protected function setUp(): void
    {
        parent::setUp();
        $this->hooks = $GLOBALS['wp_filter']['toolwire_assistant_reply']->callbacks;
        remove_all_filters('toolwire_assistant_reply');
    }

    protected function tearDown(): void
    {
        remove_all_filters('toolwire_assistant_reply');
        foreach ($this->hooks as $priority => $callbacks) {
            foreach ($callbacks as ['function' => $function, 'accepted_args' => $count]) {
                add_filter('toolwire_assistant_reply', $function, $priority, $count);
            }
        }
        remove_all_filters('toolwire_model');
        parent::tearDown();
    }

    /** @return array<string, mixed> the answer to a message */
    private static function reply(string $reply): array
    {
        $says = static fn () => $reply;
        add_filter('toolwire_assistant_reply', $says);
        $answer = self::rest('POST', '/assistant', ['message' => 'Hello']);
        remove_filter('toolwire_assistant_reply', $says);
        self::assertSame(200, $answer->get_status());
        return $answer->get_data();
    }

    /** @return list<string> kind and text of each part */
    private static function parts(array $answer): array
    {
        return array_map(
            static fn (array $part): string => $part['type'] . ' ' . ($part['text'] ?? ''),
            $answer['segments']
        );
    }

    public function testAModelIsToldWhatWasRefusedAndWritesItAgain(): void
    {
        $told = [];
        $broken = 'I look. <tool:site_info>{"a": </tool>';
        $repair = static function ($repaired, array $refusals, string $reply, string $message, int $user) use (&$told, $broken): ?string {
            $told[] = [$refusals, $reply, $message, $user];
            return count($told) === 1 ? $broken : 'Again. <tool:site_info>{}</tool>';
        };
        add_filter('toolwire_assistant_repair', $repair, 10, 5);
        $answer = self::reply($broken);
        self::assertSame(['Again. ', 'site_info'], [$answer['reply'], $answer['calls'][0]['name']]);
        self::assertCount(2, $told);
        [$refusals, $reply, $message, $user] = $told[0];
        self::assertCount(1, $refusals);
        self::assertStringContainsString('bad_json', $refusals[0]);
        self::assertSame([$broken, 'Hello', get_current_user_id()], [$reply, $message, $user]);
        // What can be read, and what was only shown, is no reason to ask again.
        foreach (['Here. <tool:site_info>{}</tool>', 'Write `<tool:site_info>{"a": </tool>`.', 'Hello.'] as $fine) {
            self::reply($fine);
        }
        self::assertCount(2, $told);
        remove_all_filters('toolwire_assistant_repair');
    }

    public function testAModelThatNeverWritesItRightIsAskedThreeTimes(): void
    {
        $asked = 0;
        add_filter('toolwire_assistant_repair', static function ($repaired, array $refusals, string $reply) use (&$asked): string {
            $asked++;
            return $reply;
        }, 10, 3);
        $answer = self::reply('I look. <tool:site_info>{"a": </tool>');
        self::assertSame([3, []], [$asked, $answer['calls']]);
        remove_all_filters('toolwire_assistant_repair');
        $failed = [];
        $listen = static function (WP_Error $error) use (&$failed): void {
            $failed[] = $error->get_error_message();
        };
        add_action('toolwire_assistant_failed', $listen);
        add_filter('toolwire_assistant_repair', static fn () => throw new \RuntimeException('no model'));
        $answer = self::reply('I look. <tool:site_info>{"a": </tool>');
        self::assertSame([['no model'], 'I look. '], [$failed, $answer['reply']]);
        remove_action('toolwire_assistant_failed', $listen);
        remove_all_filters('toolwire_assistant_repair');
    }

    public function testPartsKeepTheirKinds(): void
    {
        $answer = self::reply(
            '<think>A <tool:site_info>{}</tool> thought.</think>Hello <tool:site_info>{}</tool>!'
                . ' <tool:nobody>{}</tool> Bye.<|im_end|>'
        );
        self::assertSame(
            [
                'reasoning A <tool:site_info>{}</tool> thought.', 'text Hello ', 'call ', 'text ! ',
                'rejection <tool:nobody>{}</tool>', 'text  Bye.',
            ],
            self::parts($answer)
        );
        self::assertSame('unknown_tool', $answer['segments'][4]['code']);
        self::assertSame('Hello !  Bye.', $answer['reply']);
        $this->settings(['reasoning' => 'hidden']);
        $hidden = self::reply('<think>A thought.</think>Hello');
        self::assertStringNotContainsString('thought', (string) wp_json_encode($hidden));
    }

    public function testNoMarkerOfARefusedCallIsText(): void
    {
        // The other forms are read for the models alone that write them.
        $examples = array_intersect_key(
            array_column(Detector::formats(), 'example', 'slug'),
            array_flip(Detector::profileFor('auto')->formats)
        );
        self::assertGreaterThan(50, count($examples));
        $damages = [
            static fn (string $call) => substr($call, 0, (int) (strlen($call) * 0.8)),
            static fn (string $call) => preg_replace('/get_weather|wp_api/', 'nobody', $call),
            static fn (string $call) => preg_replace('/"(city|action)": ?"/', '$0 oops" "', $call),
            static fn (string $call) => str_replace(['"Rome"', '"list"'], 'oops oops', $call),
        ];
        $register = static function ($tools): void {
            foreach (['get_weather', 'wp_api'] as $name) {
                $tools->register(
                    $name,
                    ['capability' => 'read', 'callback' => '__return_empty_array']
                );
            }
        };
        add_action('toolwire_register_tools', $register);
        $this->settings(['calls_per_minute' => 10000]);
        $refused = 0;
        foreach ($examples as $slug => $example) {
            foreach ($damages as $number => $damage) {
                $answer = self::reply("Before it. {$damage($example)}\n\nAnd after it.");
                if (in_array('rejection', array_column($answer['segments'], 'type'), true)) {
                    $refused++;
                    self::assertMatchesRegularExpression(
                        '/^Before it\.\s*(And after it\.)?$/',
                        $answer['reply'],
                        "$slug $number"
                    );
                }
            }
        }
        remove_action('toolwire_register_tools', $register);
        plugin()->engines()->reset();
        self::assertGreaterThan(100, $refused);
    }

    public function testBeyondTheMostRejectionsNothingIsText(): void
    {
        $answer = self::reply('Hello' . str_repeat(' <tool:nobody>{}</tool> x', 120));
        self::assertCount(100, $answer['rejections']);
        self::assertStringNotContainsString('nobody', $answer['reply']);
    }

    public function testTheNameOfTheModelSaysHowItWrites(): void
    {
        $written = "A thought.</think>\n\nHello <tool:site_info>{}</tool>";
        self::assertSame(['site_info'], array_column(self::reply($written)['calls'], 'name'));
        $this->settings(['model' => 'Qwen/Qwen3-8B']);
        self::assertSame([], self::reply($written)['calls'], 'no model of this family writes that');
        add_filter('toolwire_model', $none = static fn (string $model, string $origin): string =>
            $origin === 'assistant' && $model === 'Qwen/Qwen3-8B' ? 'a model of my own' : 'x', 10, 2);
        self::assertSame(['site_info'], array_column(self::reply($written)['calls'], 'name'));
        remove_filter('toolwire_model', $none);
        self::assertCount(
            1,
            self::rest('POST', '/detect', ['text' => '<tool:site_info>{}</tool>'])->get_data()['calls'],
            'a text of anybody'
        );
    }

    public function testWithoutAFilterTheScriptAnswersWhateverTheModelIsCalled(): void
    {
        $this->settings(['model' => 'Qwen/Qwen3-8B']);
        $answer = self::rest('POST', '/assistant', ['message' => 'my posts'])->get_data();
        self::assertSame(['list_posts'], array_column($answer['calls'], 'name'));
    }

    public function testAFilterThatFailsIsAnErrorAndNeverTheScript(): void
    {
        $told = [];
        add_action('toolwire_assistant_failed', $tell = static function ($error) use (&$told): void {
            $told[] = $error->get_error_message();
        });
        foreach (
            [
                static fn () => new WP_Error('down', 'the key abc'), static fn () => null,
                static fn () => '', static fn () => ['text'], static fn () => false,
                static fn () => throw new \TypeError('the key abc'),
            ] as $fails
        ) {
            add_filter('toolwire_assistant_reply', $fails);
            $answer = self::rest('POST', '/assistant', ['message' => 'my posts']);
            remove_filter('toolwire_assistant_reply', $fails);
            self::assertSame(
                [502, 'toolwire_assistant_failed'],
                [$answer->get_status(), $answer->get_data()['code']]
            );
            self::assertStringNotContainsString('abc', (string) wp_json_encode($answer->get_data()));
        }
        remove_action('toolwire_assistant_failed', $tell);
        self::assertCount(6, $told);
        self::assertSame(['the key abc', 'the key abc'], [$told[0], $told[5]]);
        self::assertSame('auto', Settings::DEFAULTS['formats']);
    }
}
