<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/** How a call is written in text: a format's markers, keys, and the kind of its arguments. */
final class Format
{
    /** @var string */
    public $slug;

    /** @var string how arguments are written: bare, element, json, named, tagged or literal */
    public $body;

    /** @var Wrapper|null */
    public $wrapper;

    /** @var CallShape */
    public $call;

    /** @var Keys|null the keys of a call that is JSON */
    public $keys = null;

    /** @var Parameter|null */
    public $parameter = null;

    /** @var string|null the marker round strings in literals; null for Python's quotes */
    public $quote;

    /** @var bool whether calls may also stand without their wrapper */
    public $bare;

    /** @var bool whether a call of an unknown tool is prose */
    public $plain;

    /** @var bool whether calls stand between markers */
    public $isMarked;

    /** @param array<string, mixed> $definition */
    public function __construct(array $definition)
    {
        $this->slug = $definition['slug'];
        $this->body = $definition['body'];
        $this->wrapper = isset($definition['wrapper']) ? new Wrapper($definition['wrapper']) : null;
        $this->call = new CallShape($definition['call'] ?? []);
        $this->isMarked = $this->body !== 'bare' && $this->body !== 'element';
        $this->bare = ($definition['bare'] ?? false) || $this->wrapper === null;
        $this->plain = $definition['plain'] ?? false;
        $this->quote = $definition['quote'] ?? null;
        if ($this->body === 'bare' || $this->body === 'json') {
            $this->keys = Keys::of($definition['keys'] ?? null);
        }
        if ($this->body === 'tagged') {
            $this->parameter = new Parameter($definition['parameter']);
            $this->parameter->findPieces($this->call);
        }
    }

    /** The format as it is read where its opening counts only at the beginning of a message. */
    public function onlyFirst(): self
    {
        $format = clone $this;
        $format->call = clone $this->call;
        $format->call->onlyFirst = true;
        return $format;
    }

    /** The keys of calls that are JSON without markers, where the format has such calls. */
    public function bareJson(): ?Keys
    {
        $isBare = $this->body === 'bare' || ($this->body === 'json' && $this->bare);
        return $isBare ? $this->keys : null;
    }

    /**
     * Whether the opening of a call may open other text too, so that a word behind it proves
     * nothing.
     */
    public function isVague(): bool
    {
        $unmistakable = $this->call->open !== [];
        foreach ($this->call->open as $open) {
            $unmistakable = $unmistakable && strncmp($open->lead, '<|', 2) === 0;
        }
        $namesAtOnce = $this->call->place->kind === NamePlace::INLINE;
        return $this->plain
            || $this->call->onlyFirst
            || $this->call->isToolTag()
            || ($namesAtOnce && $this->call->nameEnd === [] && !$unmistakable)
            || $this->call->nameEndOptional;
    }

    /** Whether also a name behind the opening, with what follows a name, proves nothing. */
    public function isVagueBehindName(): bool
    {
        $proves = $this->plain && $this->body === 'named' && $this->call->nameEnd !== [];
        return $this->isVague() && (!$proves || $this->call->nameEndOptional);
    }
}
