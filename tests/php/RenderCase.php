<?php

declare(strict_types=1);

namespace Toolwire\Tests;

use PHPUnit\Framework\Assert;
use Toolwire\Detector;
use Toolwire\Html;
use stdClass;

/** A case of writing: a call in a format, a message, or a call or result as HTML. */
final class RenderCase
{
    public static function run(stdClass $case): void
    {
        $input = $case->input;
        if ($input->function === 'calls') {
            self::calls($case);
            return;
        }
        if ($input->function === 'message') {
            self::message($case);
            return;
        }
        if ($input->function === 'call') {
            Cases::fields($input, ['function', 'name', 'arguments', 'status', 'id'], []);
            $html = Html::call($input->name, $input->arguments, $input->status, $input->id);
        } else {
            Assert::assertSame('result', $input->function);
            Cases::fields($input, ['function', 'name', 'success', 'result'], []);
            $html = Html::result($input->name, $input->success, $input->result);
        }
        Cases::fields($case->output, ['html'], []);
        Assert::assertSame($case->output->html, $html);
    }

    private static function message(stdClass $case): void
    {
        $input = $case->input;
        Cases::fields($input, ['function', 'message', 'profile'], ['tools']);
        [$message, $profile] = [Cases::arrays($input->message), Cases::arrays($input->profile)];
        $tools = isset($input->tools) ? Cases::arrays($input->tools) : null;
        $text = Detector::renderMessage($message, $profile, $tools);
        Cases::fields($case->output, ['text'], []);
        Assert::assertSame($case->output->text, $text);
        $detector = new Detector(tools: $tools, model: $profile);
        $known = $detector->profile();
        Assert::assertSame($text, Detector::renderMessage($detector->detect($text), $known, $tools));
    }

    private static function calls(stdClass $case): void
    {
        $input = $case->input;
        Cases::fields($input, ['function', 'calls', 'format'], ['tools']);
        $format = Cases::arrays($input->format);
        $tools = isset($input->tools) ? Cases::arrays($input->tools) : null;
        $calls = array_map(static fn (stdClass $call): array => (array) $call, $input->calls);
        $text = Detector::renderCalls($calls, $format, $tools);
        Cases::fields($case->output, ['text'], []);
        Assert::assertSame($case->output->text, $text);
        if (count($calls) === 1) {
            [$call] = $calls;
            $id = $call['id'] ?? null;
            $one = Detector::renderCall($call['name'], $call['arguments'], $format, $id, $tools);
            Assert::assertSame($text, $one);
        }
    }
}
