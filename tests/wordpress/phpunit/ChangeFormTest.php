<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use DOMDocument;
use DOMElement;
use DOMXPath;
use Toolwire\Tools\ToolInput;

use function Toolwire\WordPress\plugin;

/** The form that changes arguments, as a browser without JavaScript uses it. */
final class ChangeFormTest extends SiteTestCase
{
    private const SCHEMA = ['type' => 'object', 'properties' => [
        'title' => ['type' => 'string', 'description' => 'Of the post <b>'],
        'body' => ['type' => 'string'],
        'number' => ['type' => 'integer'],
        'draft' => ['type' => 'boolean'],
        'color' => ['enum' => ['red', '<i>', 3]],
        'tags' => ['type' => 'array', 'items' => ['type' => 'string']],
        'meta' => ['type' => 'object'],
        'note' => ['type' => 'string'],
        'password' => ['type' => 'string'],
    ], 'required' => ['title']];

    /** @var ?object what the tool got */
    private ?object $got = null;

    protected function setUp(): void
    {
        parent::setUp();
        add_action('toolwire_register_tools', [$this, 'register']);
        plugin()->engines()->reset();
    }

    protected function tearDown(): void
    {
        remove_action('toolwire_register_tools', [$this, 'register']);
        plugin()->engines()->reset();
        $_POST = $_GET = [];
        parent::tearDown();
    }

    public function register(object $tools): void
    {
        $tools->register('test_form', [
            'permission_callback' => '__return_true', 'input_schema' => self::SCHEMA,
            'callback' => function (array $arguments, ToolInput $input): array {
                $this->got = json_decode($input->json(), false, 512, JSON_BIGINT_AS_STRING);
                return [];
            },
        ]);
        $tools->register('test_free', [
            'permission_callback' => '__return_true', 'callback' => '__return_empty_array',
        ]);
    }

    private function waiting(string $arguments, string $tool = 'test_form'): string
    {
        $row = self::call($tool, $arguments);
        self::assertSame('waiting', $row['state'], (string) $row['error']);
        return (string) $row['approval_id'];
    }

    private static function page(string $id): DOMXPath
    {
        $_GET['change'] = '1';
        ob_start();
        plugin()->admin()->approval_screen()->show($id);
        $document = new DOMDocument();
        $document->loadHTML('<?xml encoding="UTF-8">' . ob_get_clean(), LIBXML_NOERROR);
        return new DOMXPath($document);
    }

    /**
     * What a browser sends of a form.
     *
     * @return array<string, string>
     */
    private static function fields(DOMXPath $page, string $form): array
    {
        $sent = [];
        foreach ($page->query("$form//*[@name]") as $field) {
            self::assertInstanceOf(DOMElement::class, $field);
            $value = match ($field->nodeName) {
                'textarea' => (string) preg_replace('~^\n~', '', $field->textContent),
                'select' => $page->evaluate('string(option[@selected]/@value)', $field),
                'button' => null,
                default => $field->getAttribute('type') === 'checkbox'
                    ? ($field->hasAttribute('checked') ? '1' : null)
                    : $field->getAttribute('value'),
            };
            if ($value !== null) {
                $sent[$field->getAttribute('name')] = str_replace("\n", "\r\n", $value);
            }
        }
        return $sent;
    }

    /** @param array<string, string> $sent */
    private static function post(array $sent): void
    {
        $pairs = array_map(
            static fn (string $name, string $value): string =>
                rawurlencode($name) . '=' . rawurlencode($value),
            array_keys($sent),
            $sent
        );
        parse_str(implode('&', $pairs), $posted);
        $_POST = wp_slash($posted);
    }

    /**
     * Changes fields by the names of their arguments.
     *
     * @param array<string, string> $sent
     * @param array<string, string> $changes
     * @return array<string, string>
     */
    private static function with(array $sent, array $changes): array
    {
        foreach ($changes as $name => $text) {
            [$argument, $part] = explode('|', "$name|text");
            $at = array_search(wp_json_encode($argument), $sent, true);
            self::assertIsString($at, "a field for $argument");
            $sent[str_replace('[name]', "[$part]", $at)] = $text;
        }
        return $sent;
    }

    private const CHANGE = '//form[@class="toolwire-change"]';
    private const DECIDE = '//form[@class="toolwire-decide"]';

    /** Approves what a page shows. */
    private static function approve(DOMXPath $page): array
    {
        $sent = self::fields($page, self::DECIDE);
        $row = plugin()->approvals()->decide(
            $sent['id'],
            true,
            '',
            $sent['seen'],
            $sent['arguments'] ?? null
        );
        self::assertIsArray($row, is_wp_error($row) ? $row->get_error_message() : '');
        return $row;
    }

    public function testAFormThatIsSentAsItIsChangesNothing(): void
    {
        $json = '{"title":"a \"b\" &lt; <i>\u2028 \u202e","body":"\nOne\n\nTwo ","number":-5,'
            . '"draft":false,"color":"<i>","tags":["x","y z"],"meta":{"a":{},"l":[]},'
            . '"note":"a\rb\u0001","password":"hunter2hunter2","more":[1.50,12345678901234567890]}';
        $id = $this->waiting($json);
        $page = self::page($id);
        self::post(self::fields($page, self::CHANGE));
        $again = self::page($id);
        self::assertSame(0, $again->query('//*[contains(@class,"notice-error")]')->length);
        self::assertArrayNotHasKey('arguments', self::fields($again, self::DECIDE));
        self::assertSame('completed', self::approve($again)['state']);
        self::assertEquals(
            json_decode($json, false, 512, JSON_BIGINT_AS_STRING),
            $this->got
        );
    }

    public function testEachKindOfFieldChangesItsArgument(): void
    {
        $id = $this->waiting(
            '{"title":"a","body":"One","number":5,"draft":false,"color":"red","tags":["x"],'
                . '"meta":{},"note":"gone","password":"hunter2hunter2"}'
        );
        self::post(self::with(self::fields(self::page($id), self::CHANGE), [
            'title' => 'A <b>"\\', 'body' => "One\r\n\r\nTwo", 'number' => ' 6 ', 'draft' => 'true',
            'color' => '3', 'tags' => "y\r\n\r\nz\r\n", 'meta' => '{"k": [1]}', 'note|drop' => '1',
        ]));
        $page = self::page($id);
        self::assertStringContainsString(
            'You have changed the arguments',
            $page->evaluate('string(//*[@role="status"])')
        );
        self::assertSame('completed', self::approve($page)['state']);
        self::assertSame(
            '{"title":"A <b>\"\\\\","body":"One\n\nTwo","number":6,"draft":true,"color":3,'
                . '"tags":["y","z"],"meta":{"k":[1]},"password":"hunter2hunter2"}',
            wp_json_encode($this->got)
        );
    }

    public function testWhatTheCallLacksMayBeGivenAndStaysAwayIfItIsNot(): void
    {
        $id = $this->waiting('{"title":"a"}');
        self::post(self::with(self::fields(self::page($id), self::CHANGE), ['tags' => 'x']));
        self::approve(self::page($id));
        self::assertSame('{"title":"a","tags":["x"]}', wp_json_encode($this->got));
    }

    public function testANewSecretIsNotTakenForTheOldOne(): void
    {
        $id = $this->waiting('{"title":"a","password":"hunter2hunter2"}');
        self::post(self::with(
            self::fields(self::page($id), self::CHANGE),
            ['password' => 'correcthorse9']
        ));
        $page = self::page($id);
        self::assertStringNotContainsString('correcthorse9', $page->evaluate('string(//pre)'));
        // A second change leaves the new secret alone.
        self::post(self::fields($page, self::CHANGE));
        $page = self::page($id);
        self::assertSame(0, $page->query(self::DECIDE)->length);
        self::post(self::with(self::fields($page, self::CHANGE), ['title' => 'b']));
        self::approve(self::page($id));
        self::assertSame('{"title":"b","password":"correcthorse9"}', wp_json_encode($this->got));
    }

    public function testWhatIsWrongIsSaidAtItsFieldAndNothingIsLost(): void
    {
        $id = $this->waiting('{"title":"a","number":5,"meta":{}}');
        self::post(self::with(
            self::fields(self::page($id), self::CHANGE),
            ['number' => 'many', 'title' => 'kept']
        ));
        $page = self::page($id);
        $problem = '//*[@id="toolwire-field-2-notes"]';
        self::assertStringContainsString('integer', $page->evaluate("string($problem)"));
        self::assertSame('many', $page->evaluate('string(//*[@aria-invalid]/@value)'));
        self::assertSame('kept', $page->evaluate('string(//*[@id="toolwire-field-0"]/@value)'));
        self::assertSame(0, $page->query(self::DECIDE)->length, 'nothing is decided beside it');

        $sent = self::fields($page, self::CHANGE);
        self::post(self::with($sent, ['meta' => '{"a":', 'number' => '5']));
        $page = self::page($id);
        self::assertStringContainsString('This is not JSON.', $page->evaluate(
            'string(//*[@id="toolwire-field-6-notes"])'
        ));
        self::assertSame('{"a":', trim($page->evaluate('string(//*[@id="toolwire-field-6"])')));
    }

    public function testAFormOfAnotherPlaceOrMomentChangesNothing(): void
    {
        $id = $this->waiting('{"title":"a"}');
        $sent = self::with(self::fields(self::page($id), self::CHANGE), ['title' => 'b']);
        foreach ([
            'toolwire_change[nonce]' => 'too old', 'toolwire_change[seen]' => 'Look again',
        ] as $name => $why) {
            self::post([$name => 'x'] + $sent);
            $page = self::page($id);
            self::assertStringContainsString($why, $page->evaluate('string(//*[@role="alert"])'));
            self::assertSame('b', $page->evaluate('string(//*[@id="toolwire-field-0"]/@value)'));
            self::assertSame(0, $page->query(self::DECIDE)->length);
        }
        foreach (['x', ['fields' => 'x'], ['fields' => ['x', ['text' => ['y']]]]] as $odd) {
            $_POST = ['toolwire_change' => $odd];
            self::assertSame(1, self::page($id)->query(self::CHANGE)->length);
            $_POST = [];
        }
    }

    public function testNothingInAFormIsMarkupAndInvisibleCharactersAreMarked(): void
    {
        $attack = '\"><script>window.attacked=1</script></textarea>\u202e';
        $id = $this->waiting("{\"title\":\"$attack\",\"body\":\"a\\n$attack\",\"$attack\":1}");
        $page = self::page($id);
        self::assertSame(0, $page->query('//script')->length);
        self::assertStringContainsString('⟨U+202E⟩', $page->evaluate(
            'string(//*[@id="toolwire-field-0-notes"])'
        ));
        $labels = array_map(
            static fn ($label) => $label->textContent,
            iterator_to_array($page->query(self::CHANGE . '//label'))
        );
        self::assertContains('"><script>window.attacked=1</script></textarea>⟨U+202E⟩', $labels);
        self::assertStringContainsString('Of the post <b>', $page->evaluate(
            'string(//*[@id="toolwire-field-0-notes"])'
        ));
    }

    public function testAToolWithoutNamesOfArgumentsIsChangedAsJson(): void
    {
        $id = $this->waiting('{"a":1,"o":{}}', 'test_free');
        $sent = self::fields(self::page($id), self::CHANGE);
        self::post(self::with($sent, ['' => '{"a":2,"o":{}}']));
        $row = self::approve(self::page($id));
        self::assertSame('{"a":2,"o":{}}', $row['arguments']);
        self::assertSame('{"a":1,"o":{}}', $row['arguments_before']);
    }

    public function testWhoMayNotApproveGetsNoForm(): void
    {
        $id = $this->waiting('{"title":"a"}');
        $this->settings(['others_approve' => true]);
        $page = self::page($id);
        self::assertSame(0, $page->query('//*[@class="toolwire-change"]')->length);
        self::assertSame(1, $page->query(self::DECIDE)->length, 'the call can be denied');
    }

    public function testTheWayToTheFormIsBesideTheDecision(): void
    {
        $id = $this->waiting('{"title":"a"}');
        self::page($id);
        unset($_GET['change']);
        ob_start();
        plugin()->admin()->approval_screen()->show($id);
        $page = (string) ob_get_clean();
        self::assertStringContainsString("request=$id&#038;change=1", $page);
        self::assertStringContainsString('toolwire-decide', $page);
        self::assertStringNotContainsString('toolwire-field-0', $page);
    }
}
