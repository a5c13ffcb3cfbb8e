<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect;

use Toolwire\Plain\Detect\Format\Format;
use Toolwire\Plain\Detect\Format\Formats;
use Toolwire\Plain\Detect\Profile\InnerMarkers;
use Toolwire\Plain\Detect\Profile\MessageShape;

/** A detector's options, arranged for the search. */
final class Config
{
    /** @var Options */
    public $options;

    /** @var list<Format> */
    public $formats;

    /** @var JsonSearch|null */
    public $json;

    /** @var ElementFormat|null null where elements are no calls */
    public $element = null;

    /** @var MarkerIndex */
    public $markers;

    /** @var MessageShape */
    public $message;

    /** @var list<InnerMarkers> for each style of reasoning */
    public $inner;

    /** @var Rules */
    public $rules;

    /** @var string the bytes at which anything may start */
    public $starts;

    /** @var MarkerIndex|null the markers of every form, once they were arranged */
    private static $automatic = null;

    public function __construct(Options $options)
    {
        $this->options = $options;
        $tools = $options->toolNames();
        $this->formats = Formats::withTagsOf($options->chosenFormats(), $tools);
        $this->message = $options->message();
        $this->inner = $this->message->innerMarkers();
        $this->rules = new Rules($options);
        $knowsTools = $options->tools !== null;
        $this->json = JsonSearch::of($this->formats, $options->tolerance, $knowsTools);
        foreach ($this->formats as $format) {
            if ($format->body === 'element') {
                $this->element = new ElementFormat($options->htmlClass, $options->tolerance);
            }
        }
        $this->markers = $this->sharedMarkers() ?? $this->newMarkers();
        $this->starts = $this->markers->bytes();
    }

    /** The markers of every form, which take longer to arrange than a reply to search. */
    private function sharedMarkers(): ?MarkerIndex
    {
        if ($this->options->hasProfile() || $this->formats !== Formats::automatic()) {
            return null;
        }
        return self::$automatic = self::$automatic ?? $this->newMarkers();
    }

    private function newMarkers(): MarkerIndex
    {
        $markers = new MarkerIndex('`~<' . ($this->json === null ? '' : '{['));
        foreach ($this->formats as $index => $format) {
            $markers->add($format, $index);
        }
        // A model that writes no call in a wrapper has nothing to show in it either.
        foreach ($this->options->hasProfile() ? $this->formats : [] as $format) {
            $markers->addEmptyWrapper($format);
        }
        $markers->addMessage($this->message);
        foreach ($this->formats as $format) {
            $markers->addClosing($format);
            $markers->addTurns($format);
        }
        if ($this->options->readsAutomatic()) {
            $others = [];
            foreach (Formats::automatic() as $other) {
                if (!in_array($other, $this->formats, true)) {
                    $others[] = $other;
                }
            }
            $markers->addUnread($others);
            $markers->addRareWays($this->message);
        }
        $markers->arrange();
        return $markers;
    }
}
