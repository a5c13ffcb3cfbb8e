<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use RuntimeException;
use stdClass;
use Toolwire\Provider;
use Toolwire\Accumulator;
use Toolwire\Chunks;
use Toolwire\Detector;
use Toolwire\Exchange;
use Toolwire\ProviderItem;
use Toolwire\ProviderResult;
use Toolwire\ToolCall;
use Toolwire\ToolResult;

/** A case of the topic `provider`: reads an object, joins events, writes a call or a result. */
final class ProviderCase
{
    public function __construct(private stdClass $input, private stdClass $output)
    {
    }

    public function run(): void
    {
        match ($this->input->function ?? null) {
            'parse' => $this->parse(),
            'accumulate' => $this->accumulate(),
            'dump_call' => $this->dumpCall(),
            'dump_result' => $this->dumpResult(),
            'message' => $this->message(),
            'refusal' => $this->refusal(),
            'chunks' => $this->chunks(),
            'options' => $this->options(),
            'response' => $this->response(),
            'choices' => $this->choices(),
            'history' => $this->history(),
            'with_calls' => $this->withCalls(),
            default => throw new RuntimeException('an unknown function'),
        };
    }

    private function parse(): void
    {
        Cases::fields($this->input, ['function', 'object'], ['provider', 'repair']);
        $repair = $this->input->repair ?? 'off';
        $provider = $this->input->provider ?? null;
        $this->check(Provider::parse($this->input->object, $provider, $repair), true);
        $arrays = Cases::arrays($this->input->object);
        $this->check(Provider::parse($arrays, $provider, $repair), false);
    }

    private function accumulate(): void
    {
        Cases::fields($this->input, ['function', 'events'], ['provider', 'repair']);
        $repair = $this->input->repair ?? 'off';
        foreach ([true, false] as $exact) {
            $stream = new Accumulator($this->input->provider ?? null, $repair);
            foreach ($this->input->events as $event) {
                $stream->feed($exact ? $event : Cases::arrays($event));
            }
            $this->check($stream->finish(), $exact);
        }
    }

    private function dumpCall(): void
    {
        Cases::fields($this->input, ['function', 'call', 'provider'], []);
        Cases::fields($this->input->call, ['id', 'name', 'arguments'], []);
        $call = $this->input->call;
        $function = ['name' => $call->name, 'arguments' => $call->arguments];
        $made = Provider::parse(['id' => $call->id, 'function' => $function])->calls[0];
        $this->checkWritten($made);
    }

    private function dumpResult(): void
    {
        Cases::fields($this->input, ['function', 'result', 'provider'], []);
        $result = $this->input->result;
        Cases::fields($result, ['tool', 'success', 'data'], ['call_id', 'error_message']);
        $outcome = new ToolResult(
            $result->tool,
            $result->success,
            $result->data,
            $result->error_message ?? null
        );
        $this->checkWritten(new ProviderResult($outcome, $result->call_id ?? null));
    }

    private function message(): void
    {
        Cases::fields($this->input, ['function', 'text', 'provider'], ['options', 'cut_off']);
        $detector = DetectionCase::withOptions($this->input->options ?? null);
        $found = $detector->detect($this->input->text);
        $cutOff = $this->input->cut_off ?? false;
        $written = Provider::message($found, $this->input->provider, $cutOff);
        Cases::fields($this->output, ['object'], []);
        Assert::assertSame(json_encode($this->output->object), json_encode($written));
        $calls = static fn (array $calls): array => array_map(
            static fn (ToolCall $call): array => [$call->name, $call->arguments],
            $calls
        );
        $back = Provider::parse($written);
        Assert::assertSame($calls($found->calls), $calls($back->calls));
        Assert::assertSame([], $back->rejections);
    }

    private function refusal(): void
    {
        Cases::fields($this->input, ['function', 'text', 'provider'], ['options']);
        $detector = DetectionCase::withOptions($this->input->options ?? null);
        $refused = $detector->detect($this->input->text)->rejections[0];
        $written = Provider::refusal($refused, $this->input->provider);
        Cases::fields($this->output, ['object'], []);
        Assert::assertSame(json_encode($this->output->object), json_encode($written));
    }

    private function options(): void
    {
        Cases::fields($this->input, ['function', 'request'], []);
        $options = Provider::options(Cases::arrays($this->input->request));
        new Detector(...$options);
        $names = array_map(
            static fn (string $name): string => $name === 'maxCalls' ? 'max_calls' : $name,
            array_keys($options)
        );
        Cases::fields($this->output, ['options'], []);
        $found = json_encode(array_combine($names, $options));
        Assert::assertSame(json_encode($this->output->options), $found);
    }

    private function response(): void
    {
        $input = $this->input;
        $optional = ['alone', 'logprobs', 'input_tokens', 'output_tokens'];
        Cases::fields($input, ['function', 'texts', 'provider'], $optional);
        $messages = array_map(
            static fn (string $text): array
                => Provider::message((new Detector())->detect($text), $input->provider),
            $input->texts
        );
        $written = Provider::response(
            $input->alone ?? false ? $messages[0] : $messages,
            $input->provider,
            'm',
            'i',
            7,
            $input->input_tokens ?? null,
            $input->output_tokens ?? null,
            isset($input->logprobs) ? Cases::arrays($input->logprobs) : null
        );
        Cases::fields($this->output, ['object'], []);
        Assert::assertSame(json_encode($this->output->object), json_encode($written));
    }

    private function choices(): void
    {
        $input = $this->input;
        $names = ['function', 'choices', 'fed', 'cut_off', 'input_tokens', 'output_tokens'];
        Cases::fields($input, $names, []);
        $chunks = new Chunks('openai', 'm', 'i', 7, choices: $input->choices);
        $detector = new Detector();
        $streams = [];
        for ($choice = 0; $choice < $input->choices; ++$choice) {
            $streams[] = $detector->stream();
        }
        $sent = [];
        foreach ($input->fed as [$choice, $piece, $logprobs]) {
            $events = isset($streams[$choice]) ? $streams[$choice]->feed($piece) : [];
            $given = $logprobs === null ? null : Cases::arrays($logprobs);
            array_push($sent, ...$chunks->feed($events, $choice, $given));
        }
        foreach ($streams as $choice => $stream) {
            array_push($sent, ...$chunks->feed($stream->finish(), $choice));
        }
        array_map($chunks->cutOff(...), $input->cut_off);
        $last = $chunks->finish(false, $input->input_tokens, $input->output_tokens);
        array_push($sent, ...$last);
        Assert::assertSame(json_encode($this->output), json_encode(['chunks' => $sent]));
    }

    private function history(): void
    {
        Cases::fields($this->input, ['function', 'response'], []);
        $added = Provider::history($this->input->response);
        Cases::fields($this->output, ['history'], []);
        Assert::assertSame(json_encode($this->output->history), json_encode($added));
    }

    private function withCalls(): void
    {
        Cases::fields($this->input, ['function', 'response'], ['options']);
        $detector = DetectionCase::withOptions($this->input->options ?? null);
        $read = Provider::withCalls(Cases::arrays($this->input->response), $detector);
        Cases::fields($this->output, ['object'], []);
        Assert::assertSame(json_encode($this->output->object), json_encode($read));
    }

    private function chunks(): void
    {
        $input = $this->input;
        $optional = ['options', 'cut_off', 'sse', 'arguments', 'input_tokens', 'output_tokens'];
        Cases::fields($input, ['function', 'pieces', 'provider'], $optional);
        $sse = $input->sse ?? false;
        $stream = DetectionCase::withOptions($input->options ?? null)->stream();
        $way = $input->arguments ?? 'whole';
        $chunks = new Chunks($input->provider, 'm', 'i', 7, $sse, $way);
        $sent = [];
        foreach ($input->pieces as $piece) {
            array_push($sent, ...$chunks->feed($stream->feed($piece)));
        }
        array_push($sent, ...$chunks->feed($stream->finish()));
        $last = $chunks->finish(
            $input->cut_off ?? false,
            $input->input_tokens ?? null,
            $input->output_tokens ?? null
        );
        array_push($sent, ...$last);
        $found = [$sse ? 'lines' : 'chunks' => $sent];
        Assert::assertSame(json_encode($this->output), json_encode($found));
    }

    private function checkWritten(ToolCall|ProviderResult $item): void
    {
        $written = Provider::dump($item, $this->input->provider);
        Cases::fields($this->output, ['object'], []);
        Assert::assertSame(json_encode($this->output->object), json_encode($written));
    }

    /** @param bool $exact whether the object was given with its objects told from its lists */
    private function check(Exchange $exchange, bool $exact): void
    {
        Cases::fields($this->output, ['calls', 'results', 'rejections'], ['items']);
        $rejections = [];
        foreach ($exchange->rejections as $rejection) {
            $fields = $rejection->toArray();
            unset($fields['message']);
            $rejections[] = array_filter($fields, static fn ($field): bool => $field !== null);
        }
        Assert::assertSame(Cases::arrays($this->output->rejections), $rejections);
        Assert::assertCount(count($this->output->calls), $exchange->calls);
        foreach ($this->output->calls as $index => $expected) {
            Assert::assertSame($index, $exchange->calls[$index]->index);
            $this->checkCall($expected, $exchange->calls[$index], $exact);
        }
        $this->checkItems($exchange, $exact);
        Assert::assertCount(count($this->output->results), $exchange->results);
        foreach ($this->output->results as $index => $expected) {
            $this->checkResult($expected, $exchange->results[$index]);
        }
    }

    /** @param bool $exact whether the object was given with its objects told from its lists */
    private function checkItems(Exchange $exchange, bool $exact): void
    {
        $expected = $this->output->items ?? [];
        Assert::assertCount(count($expected), $exchange->items);
        foreach ($expected as $index => $item) {
            Cases::fields($item, ['kind', 'word', 'path', 'format', 'object'], ['id']);
            $found = $exchange->items[$index];
            $fields = [$found->kind, $found->word, $found->id, $found->path, $found->format];
            $wanted = [$item->kind, $item->word, $item->id ?? null, $item->path, $item->format];
            Assert::assertSame($wanted, $fields);
            Assert::assertEquals($found, ProviderItem::fromArray($found->toArray()));
            if ($exact) {
                $written = json_encode(Provider::dump($found, $found->format));
                Assert::assertSame(json_encode($item->object), $written);
                Assert::assertSame(json_encode($item->object), json_encode($found->object()));
            }
        }
    }

    private function checkCall(stdClass $expected, ToolCall $call, bool $exact): void
    {
        $optional = ['arguments', 'arguments_raw', 'id', 'id_given', 'index', 'diagnostics'];
        array_push($optional, 'provider_data', 'written');
        Cases::fields($expected, ['name', 'format'], $optional);
        Assert::assertSame('', $call->original);
        $found = $call->toArray();
        $found['diagnostics'] = array_column($call->diagnostics, 'code');
        foreach (['name', 'format', 'id', 'id_given', 'index', 'arguments_raw'] as $field) {
            // An empty array may have been an object.
            if (isset($expected->$field) && ($exact || $field !== 'arguments_raw')) {
                Assert::assertSame($expected->$field, $found[$field], $field);
            }
        }
        if ($exact) {
            Assert::assertSame($expected->diagnostics ?? [], $found['diagnostics']);
        }
        if (isset($expected->provider_data) && $exact) {
            $data = json_decode($call->providerData ?? 'null');
            Assert::assertEquals($expected->provider_data, $data);
            Assert::assertSame($call->providerData, unserialize(serialize($call))->providerData);
        }
        if (isset($expected->written) && $exact) {
            $written = json_encode(Provider::dump($call, $call->format));
            Assert::assertEquals($expected->written, json_decode($written));
            $kept = ToolCall::fromArray($call->toArray());
            Assert::assertSame($written, json_encode(Provider::dump($kept, $call->format)));
        }
        if (isset($expected->arguments)) {
            Assert::assertSame(Cases::arrays($expected->arguments), $call->arguments);
        }
    }

    private function checkResult(stdClass $expected, ProviderResult $found): void
    {
        Cases::fields(
            $expected,
            ['tool', 'success', 'data', 'format'],
            ['call_id', 'error_message']
        );
        Assert::assertSame($expected->tool, $found->result->tool);
        Assert::assertSame($expected->success, $found->result->success);
        Assert::assertSame(Cases::arrays($expected->data), $found->result->data);
        Assert::assertSame($expected->format, $found->format);
        Assert::assertSame($expected->call_id ?? null, $found->callId);
        Assert::assertSame($expected->error_message ?? null, $found->result->errorMessage);
    }
}
