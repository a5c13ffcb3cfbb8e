<?php

declare(strict_types=1);

namespace Toolwire\Tests\WordPress;

use DOMDocument;
use DOMXPath;
use Toolwire\Diff;

use function Toolwire\WordPress\plugin;

/** The table of a diff: how it names each line. */
final class DiffViewTest extends SiteTestCase
{
    private static function page(string $before, string $after, string $label = 'Content'): string
    {
        ob_start();
        plugin()->admin()->diff_view()->show($label, Diff::text($before, $after));
        return (string) ob_get_clean();
    }

    /** @return list<array{string, string}> what each row is called, and its text */
    private static function rows(string $before, string $after): array
    {
        $document = new DOMDocument();
        $document->loadHTML(
            '<?xml encoding="UTF-8">' . self::page($before, $after),
            LIBXML_NOERROR
        );
        $path = new DOMXPath($document);
        $rows = [];
        foreach ($path->query('//tr') as $row) {
            $word = $path->evaluate('string(.//*[@class="screen-reader-text"])', $row);
            $rows[] = [$word, $path->evaluate('string(td[last()]/*[1])', $row)];
        }
        return $rows;
    }

    public function testAnAddedLineIsNotShownAsUnchanged(): void
    {
        $link = '<a href=https://evil.example>pay here</a>';
        foreach ([
            "\u{2028}", "\u{2029}", "\u{85}", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e",
        ] as $end) {
            $rows = self::rows("Intro{$end}Outro", "Intro{$end}$link{$end}Outro");
            self::assertSame(
                ['unchanged', 'added', 'unchanged'],
                array_slice(array_column($rows, 0), 0, 3),
                bin2hex($end)
            );
            self::assertStringStartsWith($link . '⟨U+', $rows[1][1], bin2hex($end));
        }
        self::assertSame([['unchanged', 'Intro'], ['added', $link], ['unchanged', 'Outro']],
            self::rows("Intro\r\nOutro\r\n", "Intro\r\n$link\r\nOutro\r\n"));
    }

    public function testTheTableHasARowForEachLineThatIsAddedOrRemoved(): void
    {
        mt_srand(14);
        $ends = ["\n", "\r\n", "\r", "\u{2028}", "\x0b", "\u{85}", ''];
        $text = static function (int $lines) use ($ends): string {
            $text = '';
            for ($line = 0; $line < $lines; $line++) {
                $text .= ['a', '-b', '+c', '@@ -1 +1 @@', '\\ d', ' ', "\u{2026}"][mt_rand(0, 6)]
                    . $ends[mt_rand(0, 6)];
            }
            return $text;
        };
        for ($round = 0; $round < 200; $round++) {
            [$before, $after] = [$text(mt_rand(0, 9)), $text(mt_rand(0, 9))];
            $diff = Diff::text($before, $after);
            if ($diff->hasChanges()) {
                $said = array_count_values(array_column(self::rows($before, $after), 0)) + [
                    'added' => 0, 'removed' => 0,
                ];
                self::assertSame(
                    [$diff->additions, $diff->deletions],
                    [$said['added'], $said['removed']],
                    wp_json_encode([$before, $after])
                );
            }
        }
    }

    public function testAValueOfOneLineIsShownWithoutANoteOnItsEnd(): void
    {
        self::assertSame(
            [['removed', 'Hello world!'], ['added', 'Hello']],
            self::rows('Hello world!', 'Hello')
        );
        self::assertSame([['added', 'Hello']], self::rows('', 'Hello'));
        self::assertSame([['removed', 'Hello']], self::rows('Hello', ''));
    }

    public function testTheNoteStaysWhereItTellsTheSidesApart(): void
    {
        $note = 'No newline at end of file';
        self::assertSame(
            [['removed', 'a'], ['added', 'a'], ['', $note]],
            self::rows("a\n", 'a')
        );
        self::assertSame(
            [['unchanged', 'a'], ['removed', 'b'], ['added', 'c']],
            self::rows("a\nb", "a\nc"),
            'both end alike'
        );
    }

    public function testAChangeOfLineEndsShows(): void
    {
        self::assertSame([['removed', 'a'], ['added', 'a⟨U+000D⟩']], self::rows("a\n", "a\r\n"));
    }

    public function testASecretOfManyLinesHidesNoAddedText(): void
    {
        $key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n";
        $end = '-----END PRIVATE KEY-----pay here';
        $rows = self::rows("{$key}x\n", "$key$end\nx\n");
        $added = array_filter(
            $rows,
            static fn (array $row): bool => str_contains($row[1], 'pay here')
        );
        self::assertSame([['added']], [array_values(array_unique(array_column($added, 0)))]);
        self::assertSame(['unchanged', 'x'], end($rows));
        self::assertStringNotContainsString('MIIEvQ', wp_json_encode($rows));
    }

    public function testASecretIsLeftOutOfItsLineAlone(): void
    {
        $token = 'ghp_' . str_repeat('a1B2', 9);
        self::assertSame(
            [
                ['unchanged', "Cookie: [redacted]"],
                ['removed', 'old'],
                ['added', 'use [redacted] now'],
            ],
            self::rows("Cookie: a=b\nold\n", "Cookie: a=b\nuse $token now\n")
        );
    }

    public function testASecretThatGoesOnBehindTheTableStaysHidden(): void
    {
        $body = str_repeat("MIIEvQIBADANBgkqhkiG\n", 600);
        $page = self::page(
            '',
            "-----BEGIN PRIVATE KEY-----\n$body-----END PRIVATE KEY-----\nshown\n"
        );
        self::assertStringNotContainsString('MIIEvQ', $page);
        self::assertStringContainsString('+shown', $page);
    }

    public function testALabelShowsInvisibleCharactersAlsoWhereNothingChanges(): void
    {
        foreach (['a', 'b'] as $after) {
            $page = self::page('a', $after, "Tit\u{202e}le<");
            self::assertStringContainsString('Tit⟨U+202E⟩le&lt;', $page);
            self::assertStringNotContainsString("\u{202e}", $page);
        }
    }
}
