<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Format\Marker;

/** How a message is divided into reasoning, framing and the rest. */
final class MessageShape
{
    /** The list whose tokens frame a message of any model only where it begins. */
    private const FUNCTIONARY = 'functionary';
    /** The styles of reasoning whose markers are words that prose may hold. */
    private const PLAIN = ['granite', 'apriel', 'ax', 'hyperclova', 'harmony_stripped'];
    /** The styles of reasoning that models of many kinds write, the most common ones first. */
    private const COMMON = ['think', 'thinking', 'thought'];
    /** How many of these are read where formats are named and no model is. */
    private const COMMON_OF_FORMATS = 2;
    /** The lists of framing tokens that prose or another family's text may hold. */
    private const NOT_AUTOMATIC = [
        'answer', 'ernie', 'granite_response', 'harmony_stripped', 'hyperclova', 'longcat', 'reka',
        'minicpmv', 'gigachat', self::FUNCTIONARY,
    ];

    /** @var list<ReasoningStyle> */
    public $reasoning = [];

    /** @var list<Marker> the tokens that frame parts of the message and are not shown */
    public $frames = [];

    /**
     * @var list<Marker> those of them behind which the text is for a person: no call of it counts
     */
    public $answers = [];

    /** @var list<Marker> what is not shown where the message begins */
    public $begins = [];

    /** @var list<Marker> the tokens that begin the turn of somebody else, which was made up */
    public $afterEnd = [];

    /** @var int|null the style of the reasoning in which the message begins */
    public $begun = null;

    /** @var bool whether a call inside the reasoning counts */
    public $callsInReasoning = false;

    /** The shape where nothing is known of the model: the most common ways to reason are read. */
    public static function plain(): self
    {
        return (new self())->withReasoning(array_slice(self::COMMON, 0, self::COMMON_OF_FORMATS));
    }

    /**
     * The same with the common styles of reasoning behind its own. A model that was tuned to think
     * writes these whatever its family, and no call in them is meant to run.
     */
    public function withCommonReasoning(): self
    {
        return $this->withReasoning(self::COMMON);
    }

    /**
     * The same with these styles of reasoning behind its own, but for those that open alike.
     *
     * @param list<string> $names
     */
    private function withReasoning(array $names): self
    {
        $shape = clone $this;
        foreach ($names as $name) {
            $style = new ReasoningStyle($name, Table::ALL['reasoning'][$name]);
            foreach ($shape->reasoning as $own) {
                if ($own->opensLike($style)) {
                    continue 2;
                }
            }
            $shape->reasoning[] = $style;
        }
        return $shape;
    }

    /** The shape in which every marker is understood that identifies itself. */
    public static function automatic(): self
    {
        $shape = new self();
        foreach (Table::ALL['reasoning'] as $name => $definition) {
            if (!in_array($name, self::PLAIN, true)) {
                $shape->reasoning[] = new ReasoningStyle($name, $definition);
            }
        }
        $tokens = [];
        foreach (Table::ALL['frames'] as $name => $list) {
            $list = self::list($list);
            $shape->answers = array_merge($shape->answers, Marker::all($list['answers']));
            foreach ($list['after_end'] as $token) {
                if (preg_match('/^<(\||｜)/', $token) === 1) {
                    $shape->afterEnd[] = Marker::of($token);
                }
            }
            if ($name === self::FUNCTIONARY) {
                $shape->begins = Marker::all($list['tokens']);
            }
            if (!in_array($name, self::NOT_AUTOMATIC, true)) {
                $tokens = array_merge($tokens, $list['tokens']);
            }
        }
        // In HTML, `</s>` ends text that is struck out.
        $shape->frames = Marker::all(array_diff(array_unique($tokens), ['</s>']));
        return $shape;
    }

    /**
     * Adds the tokens of a list.
     *
     * @param array<array-key, mixed>|string $list
     */
    public function addFrames($list): void
    {
        $list = self::list($list);
        $this->frames = array_merge($this->frames, Marker::all($list['tokens']));
        $this->answers = array_merge($this->answers, Marker::all($list['answers']));
        $this->begins = array_merge($this->begins, Marker::all($list['begins']));
        $this->afterEnd = array_merge($this->afterEnd, Marker::all($list['after_end']));
    }

    /**
     * A list of framing tokens with all its members; the tokens of answers are tokens too.
     *
     * @param array<array-key, mixed>|string $list
     * @return array<string, list<string>>
     */
    private static function list($list): array
    {
        $list = is_string($list) || isset($list[0]) ? ['tokens' => $list] : $list;
        $made = [];
        foreach (['tokens', 'answers', 'begins', 'after_end'] as $member) {
            $made[$member] = array_values((array) ($list[$member] ?? []));
        }
        $made['tokens'] = array_merge($made['tokens'], $made['answers']);
        return $made;
    }

    /** Whether a marker counts only where the message begins. */
    public function hasFirst(): bool
    {
        $has = $this->begins !== [];
        foreach ($this->reasoning as $style) {
            $has = $has || $style->openFirst !== [];
        }
        return $has;
    }

    /**
     * The markers that end reasoning, and show that what stands before them was reasoning. One that
     * also ends other parts of a message says nothing of that.
     *
     * @return list<Marker>
     */
    public function closing(): array
    {
        $closing = [];
        foreach ($this->reasoning as $style) {
            foreach ($style->close as $marker) {
                if (!in_array($marker, $this->frames, true)) {
                    $closing[] = $marker;
                }
            }
        }
        return $closing;
    }

    /** @return list<InnerMarkers> for each style of reasoning */
    public function innerMarkers(): array
    {
        return array_map(function (ReasoningStyle $style): InnerMarkers {
            return new InnerMarkers($style, $this->frames);
        }, $this->reasoning);
    }
}
