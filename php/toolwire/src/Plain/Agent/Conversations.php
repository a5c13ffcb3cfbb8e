<?php

declare(strict_types=1);

namespace Toolwire\Plain\Agent;

use stdClass;
use Throwable;
use Toolwire\Plain\Json\Plain;
use Toolwire\Tools\Exception\AgentException;
use Toolwire\Tools\Exception\StoreException;
use Toolwire\Tools\Store;

/**
 * The conversations in a store: a head and one entry for each message, as the extension keeps them.
 *
 * Messages are only added, each once: of two processes that go on with a conversation, one adds the
 * next message, and the other one is told that the conversation is busy.
 */
final class Conversations
{
    private const VERSION = 1;

    /** The longest entry, in bytes. */
    private const LONGEST = 1048576;

    /** The longest word of a key; a longer one is hashed. */
    private const LONGEST_WORD = 64;

    private const PAGE = 100;

    /** @var Store */
    private $store;

    /** @var string */
    private $provider;

    /** @var string */
    private $model;

    public function __construct(Store $store, string $provider, string $model)
    {
        $this->store = $store;
        $this->provider = $provider;
        $this->model = $model;
    }

    public function find(string $id): ?Conversation
    {
        if ($id === '') {
            $message = 'a conversation needs an id, such as "chat 7"; whoever gives none would '
                . 'share one with all others';
            throw AgentException::of('invalid_agent', $message);
        }
        $head = $this->head($id);
        if ($head === null || ($head->forgotten ?? false)) {
            if ($head !== null) {
                $this->forget($id);
            }
            return null;
        }
        if ($head->version > self::VERSION) {
            $message = "the conversation \"$id\" is of a newer version; update Toolwire";
            throw AgentException::of('newer_version', $message);
        }
        if ($head->provider !== $this->provider || $head->model !== $this->model) {
            $message = "the conversation \"$id\" was held with $head->model of $head->provider, "
                . "not with {$this->model} of {$this->provider}; begin another one";
            throw AgentException::of('other_model', $message);
        }
        $conversation = new Conversation($id);
        foreach ($this->entries($this->prefix($id)) as $place => $value) {
            $entry = $this->record($place, $value);
            if (($entry->number ?? null) !== count($conversation->messages)) {
                throw self::spoiled($place);
            }
            $conversation->messages[] = $entry->message;
        }
        $conversation->stored = count($conversation->messages);
        return $conversation;
    }

    public function begin(string $id): Conversation
    {
        $head = [
            'version' => self::VERSION,
            'id' => $id,
            'provider' => $this->provider,
            'model' => $this->model,
            'forgotten' => false,
        ];
        if (!$this->put(self::headKey($id), Plain::line((object) $head), 0)) {
            throw self::busy($id);
        }
        $this->deleteMessages($id);
        return new Conversation($id);
    }

    /** Adds the messages that the store does not have. */
    public function save(Conversation $conversation): void
    {
        for (; isset($conversation->messages[$conversation->stored]); $conversation->stored++) {
            [$id, $number] = [$conversation->id, $conversation->stored];
            $message = $conversation->messages[$number];
            $entry = ['conversation' => $id, 'number' => $number, 'message' => $message];
            $value = Plain::line((object) $entry);
            if (strlen($value) > self::LONGEST) {
                $length = strlen($value);
                $message = "a message of the conversation \"$id\" takes $length bytes; at most "
                    . self::LONGEST . ' are kept';
                throw AgentException::of('too_long', $message);
            }
            if (!$this->put($this->prefix($id) . sprintf('%08d', $number), $value, 0)) {
                throw self::busy($id);
            }
        }
    }

    /** @return list<string> the ids behind that of `$after`, in the order of their keys */
    public function ids(int $limit, ?string $after): array
    {
        $ids = [];
        $behind = $after === null ? null : self::headKey($after);
        foreach ($this->entries('agent/conversation/', $behind) as $place => $value) {
            if (count($ids) >= $limit) {
                break;
            }
            $head = $this->record($place, $value);
            if (!($head->forgotten ?? false)) {
                $ids[] = (string) $head->id;
            }
        }
        return $ids;
    }

    /** Deletes a conversation, and says whether there was one. */
    public function forget(string $id): bool
    {
        $head = $this->head($id);
        if ($head === null) {
            return false;
        }
        $head->forgotten = true;
        $this->put(self::headKey($id), Plain::line($head), null);
        $this->deleteMessages($id);
        return $this->guarded(function () use ($id): bool {
            return $this->store->delete(self::headKey($id), null, self::now());
        });
    }

    /** Microseconds since 1970. */
    public static function now(): int
    {
        return (int) (microtime(true) * 1000000);
    }

    /** A key of words that a store takes. */
    public static function key(string ...$words): string
    {
        return implode('/', array_map(static function (string $word): string {
            $escaped = (string) preg_replace_callback('/[^A-Za-z0-9_.:-]/', static function ($one) {
                return sprintf('%%%02X', ord($one[0]));
            }, $word);
            return strlen($escaped) > self::LONGEST_WORD ? '~' . hash('sha256', $word) : $escaped;
        }, $words));
    }

    private function head(string $id): ?stdClass
    {
        $place = self::headKey($id);
        $entry = $this->guarded(function () use ($place): ?array {
            return $this->store->get($place, self::now());
        });
        return $entry === null ? null : $this->record($place, $entry['value']);
    }

    private function deleteMessages(string $id): void
    {
        foreach ($this->entries($this->prefix($id)) as $place => $value) {
            $this->guarded(function () use ($place): bool {
                return $this->store->delete($place, null, self::now());
            });
        }
    }

    /** @return array<string, string> the values by their keys */
    private function entries(string $prefix, ?string $after = null): array
    {
        $found = [];
        do {
            $some = $this->guarded(function () use ($prefix, $after): array {
                return $this->store->scan($prefix, $after, self::PAGE, self::now());
            });
            foreach ($some as $entry) {
                $after = $entry['key'];
                $found[$after] = $entry['value'];
            }
        } while (count($some) === self::PAGE);
        return $found;
    }

    private function put(string $key, string $value, ?int $expected): bool
    {
        return $this->guarded(function () use ($key, $value, $expected): ?int {
            return $this->store->put($key, $value, $expected, null, self::now());
        }) !== null;
    }

    /** @return mixed */
    private function guarded(callable $step)
    {
        try {
            return $step();
        } catch (StoreException $failed) {
            throw $failed;
        } catch (Throwable $thrown) {
            throw StoreException::of('host', 'the store failed: ' . $thrown->getMessage(), $thrown);
        }
    }

    private function record(string $place, string $value): stdClass
    {
        $read = Plain::exact($value)[0] ?? null;
        if (!$read instanceof stdClass) {
            throw self::spoiled($place);
        }
        return $read;
    }

    private function prefix(string $id): string
    {
        return self::key('agent', 'message', $id) . '/';
    }

    private static function headKey(string $id): string
    {
        return self::key('agent', 'conversation', $id);
    }

    private static function busy(string $id): AgentException
    {
        $message = "another process goes on with the conversation \"$id\"";
        return AgentException::of('conversation_busy', $message);
    }

    private static function spoiled(string $place): StoreException
    {
        $message = "the entry $place is not as it was written; delete it or restore a backup";
        return StoreException::of('corrupt', $message);
    }
}
