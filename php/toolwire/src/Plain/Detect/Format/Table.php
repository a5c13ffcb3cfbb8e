<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Format;

/**
 * The built-in formats, as core has them.
 *
 * php/tables.php makes this file of core/src/detect/format/builtin.json.
 */
final class Table
{
    public const ALL = [
        [
            'slug' => 'tag',
            'models' => 'MemberPress AI Assistant',
            'body' => 'named',
            'call' => [
                'open' => '<tool:',
                'name_end' => '>',
                'close' => ['</tool>', '</tool:{name}>'],
                'end' => 'required',
            ],
            'example' => '<tool:wp_api>{"action":"list"}</tool>',
        ],
        [
            'slug' => 'json',
            'models' => 'any model that is asked for JSON',
            'body' => 'bare',
            'keys' => [
                'name' => ['name', 'tool', 'function'],
                'arguments' => ['parameters', 'arguments', 'input', 'args'],
                'weak' => ['input', 'args'],
                'id' => ['id', 'call_id', 'tool_call_id'],
                'wrapper' => 'function',
            ],
            'example' => '{"name":"wp_api","parameters":{"action":"list"}'
                . '}',
        ],
        [
            'slug' => 'html',
            'models' => 'MemberPress AI Assistant, rendered',
            'body' => 'element',
            'attributes' => [
                'name' => 'data-tool-name',
                'arguments' => 'data-tool-parameters',
                'id' => 'id',
                'class' => 'mpai-tool-call',
            ],
            'example' => '<div class="mpai-tool-call" data-tool-name="wp_'
                . 'api" data-tool-parameters="{&quot;action&quot;:'
                . '&quot;list&quot;}"></div>',
        ],
        [
            'slug' => 'hermes',
            'models' => 'Hermes 2 Pro and 3, Qwen 2.5 and 3, Granite 4, '
                . 'MiMo-VL, Reka Flash, Ernie 4.5',
            'body' => 'json',
            'wrapper' => [
                'open' => ['<tool_call>', '<tools>{space}{ahead}{'],
                'close' => ['</tool_call>', '</tools>'],
            ],
            'example' => [
                'call' => "<tool_call>\n{\"name\": \"get_weather\", \""
                    . "arguments\": {\"city\": \"Rome\"}}\n</tool_"
                    . "call>",
                'gap' => "\n",
            ],
        ],
        [
            'slug' => 'longcat',
            'models' => 'LongCat-Flash',
            'body' => 'json',
            'wrapper' => [
                'open' => '<longcat_tool_call>',
                'close' => '</longcat_tool_call>',
            ],
            'example' => "<longcat_tool_call>\n{\"name\": \"get_weather\""
                . ", \"arguments\": {\"city\": \"Rome\"}}\n</longc"
                . "at_tool_call>",
        ],
        [
            'slug' => 'iquest',
            'models' => 'IQuest-Coder',
            'body' => 'json',
            'wrapper' => [
                'open' => '<iquest_tool_call>',
                'close' => '</iquest_tool_call>',
            ],
            'example' => "<iquest_tool_call>\n{\"name\": \"get_weather\","
                . " \"arguments\": {\"city\": \"Rome\"}}\n</iquest"
                . "_tool_call>",
        ],
        [
            'slug' => 'mistral',
            'models' => 'Mistral 7B v0.3, Mixtral, Nemo, Small up to v7',
            'body' => 'json',
            'wrapper' => [
                'open' => '[TOOL_CALLS]',
                'close' => '[/TOOL_CALLS]',
                'end' => 'optional',
            ],
            'example' => '[TOOL_CALLS] [{"name": "get_weather", "argument'
                . 's": {"city": "Rome"}}]',
        ],
        [
            'slug' => 'mistral_v11',
            'models' => 'Mistral with tokenizer v11 and later: Magistral'
                . ', Devstral, Small 3.2',
            'body' => 'named',
            'call' => [
                'open' => '[TOOL_CALLS]{space}',
                'name_end' => ['[CALL_ID]{id}[ARGS]', '[ARGS]'],
                'close' => ['</s>'],
                'end' => 'optional',
                'name_end_optional' => true,
            ],
            'example' => '[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}',
        ],
        [
            'slug' => 'llama3',
            'models' => 'Llama 3.1 to 3.3',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|python_tag|>',
                'close' => ['<|eom_id|>', '<|eot_id|>'],
                'end' => 'optional',
                'between' => '; ',
            ],
            'bare' => true,
            'example' => '{"name": "get_weather", "parameters": {"city": '
                . '"Rome"}}',
        ],
        [
            'slug' => 'sarashina',
            'models' => 'Sarashina 2',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|tool_calls|>',
                'end' => 'optional',
            ],
            'keys' => [
                'name' => 'name',
                'arguments' => 'arguments',
                'id' => 'id',
                'python' => true,
            ],
            'example' => '<|tool_calls|>[{\'name\': \'get_weather\', \'ar'
                . 'guments\': {\'city\': \'Rome\'}}]',
        ],
        [
            'slug' => 'cohere',
            'models' => 'Command R7B and Command A',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|START_ACTION|>',
                'close' => '<|END_ACTION|>',
            ],
            'keys' => [
                'name' => 'tool_name',
                'arguments' => 'parameters',
                'id' => 'tool_call_id',
            ],
            'example' => '<|START_ACTION|>[{"tool_call_id": "0", "tool_na'
                . 'me": "get_weather", "parameters": {"city": "Rom'
                . 'e"}}]<|END_ACTION|>',
        ],
        [
            'slug' => 'command_r',
            'models' => 'Command R and R+',
            'body' => 'bare',
            'keys' => [
                'name' => 'tool_name',
                'arguments' => 'parameters',
                'id' => 'tool_call_id',
            ],
            'example' => "Action:\n```json\n[{\"tool_name\": \"get_weathe"
                . "r\", \"parameters\": {\"city\": \"Rome\"}}]\n``"
                . "`",
        ],
        [
            'slug' => 'phi4',
            'models' => 'Phi-4-mini, Firefunction v2',
            'body' => 'json',
            'wrapper' => [
                'open' => 'functools{ahead}[',
                'end' => 'optional',
            ],
            'example' => 'functools[{"name": "get_weather", "arguments": '
                . '{"city": "Rome"}}]',
        ],
        [
            'slug' => 'jamba',
            'models' => 'Jamba, Hunyuan-A13B, Apriel',
            'body' => 'json',
            'wrapper' => [
                'open' => '<tool_calls>',
                'close' => '</tool_calls>',
            ],
            'example' => '<tool_calls>[{"name": "get_weather", "arguments'
                . '": {"city": "Rome"}}]</tool_calls>',
        ],
        [
            'slug' => 'nemotron',
            'models' => 'Llama-Nemotron (Deci), Nemotron Nano v2',
            'body' => 'json',
            'wrapper' => [
                'open' => '<TOOLCALL>',
                'close' => '</TOOLCALL>',
            ],
            'example' => '<TOOLCALL>[{"name": "get_weather", "arguments":'
                . ' {"city": "Rome"}}]</TOOLCALL>',
        ],
        [
            'slug' => 'granite3',
            'models' => 'Granite 3',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|tool_call|>',
                'close' => '<|/tool_call|>',
                'end' => 'optional',
            ],
            'example' => '<|tool_call|> [{"name": "get_weather", "argumen'
                . 'ts": {"city": "Rome"}}]',
        ],
        [
            'slug' => 'granite_20b',
            'models' => 'Granite-20B-FunctionCalling',
            'body' => 'json',
            'wrapper' => [
                'open' => '<function_call>',
                'close' => '</function_call>',
                'end' => 'optional',
            ],
            'example' => '<function_call> {"name": "get_weather", "argume'
                . 'nts": {"city": "Rome"}}',
        ],
        [
            'slug' => 'doubao',
            'models' => 'Doubao Seed, through servers',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|FunctionCallBegin|>',
                'close' => '<|FunctionCallEnd|>',
            ],
            'leak' => true,
            'example' => '<|FunctionCallBegin|>[{"name": "get_weather", "'
                . 'parameters": {"city": "Rome"}}]<|FunctionCallEn'
                . 'd|>',
        ],
        [
            'slug' => 'bracket',
            'models' => 'MiniMax M2 and others, through servers',
            'body' => 'json',
            'wrapper' => [
                'open' => '[TOOL_CALL]',
                'close' => '[/TOOL_CALL]',
            ],
            'keys' => [
                'name' => ['tool', 'name', 'tool_name', 'function'],
                'arguments' => ['args', 'arguments', 'parameters', 'input'],
                'id' => ['id'],
            ],
            'leak' => true,
            'example' => '[TOOL_CALL]{"tool": "get_weather", "args": {"ci'
                . 'ty": "Rome"}}[/TOOL_CALL]',
        ],
        [
            'slug' => 'hyperclova',
            'models' => 'HyperCLOVA X SEED Think 14B',
            'body' => 'json',
            'wrapper' => [
                'open' => [
                    " -> tool/function_call\n",
                    "-> tool/function_call\n",
                    "assistant -> tool/function_call\n",
                ],
                'close' => [
                    '<|im_end|>{space}<|stop|>',
                    '<|im_end|>',
                    '<|stop|>',
                ],
                'end' => 'optional',
            ],
            'example' => " -> tool/function_call\n[{\"name\": \"get_weath"
                . "er\", \"arguments\": {\"city\": \"Rome\"}}]<|im"
                . "_end|><|stop|>",
        ],
        [
            'slug' => 'internlm2',
            'models' => 'InternLM 2 and 2.5',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|action_start|>{space}<|plugin|>',
                'close' => '<|action_end|>',
            ],
            'example' => '<|action_start|><|plugin|>{"name": "get_weather'
                . '", "parameters": {"city": "Rome"}}<|action_end|'
                . '>',
        ],
        [
            'slug' => 'gigachat3',
            'models' => 'GigaChat 3',
            'body' => 'json',
            'wrapper' => [
                'open' => [
                    '<|function_call|>',
                    'function call<|role_sep|>',
                ],
                'end' => 'optional',
            ],
            'example' => '<|function_call|>{"name": "get_weather", "argum'
                . 'ents": {"city": "Rome"}}',
        ],
        [
            'slug' => 'apertus',
            'models' => 'Apertus',
            'body' => 'json',
            'wrapper' => [
                'open' => '<|tools_prefix|>',
                'close' => '<|tools_suffix|>',
            ],
            'keys' => ['name_is_key' => true],
            'example' => '<|tools_prefix|>[{"get_weather": {"city": "Rome'
                . '"}}]<|tools_suffix|>',
        ],
        [
            'slug' => 'inkling',
            'models' => 'Inkling',
            'body' => 'json',
            'wrapper' => [
                'open' => [
                    '<|message_model|>{word}<|content_invoke'
                        . '_tool_json|>',
                    '<|content_invoke_tool_json|>',
                ],
                'close' => '<|end_message|>',
            ],
            'keys' => [
                'name' => 'name',
                'arguments' => ['args', 'arguments'],
                'id' => 'id',
            ],
            'example' => '<|message_model|>get_weather<|content_invoke_to'
                . 'ol_json|>{"name": "get_weather", "args": {"city'
                . '": "Rome"}}<|end_message|>',
        ],
        [
            'slug' => 'xlam',
            'models' => 'xLAM',
            'body' => 'bare',
            'keys' => [
                'name' => 'name',
                'arguments' => ['arguments', 'parameters'],
                'id' => ['id'],
            ],
            'example' => '[{"name": "get_weather", "arguments": {"city": '
                . '"Rome"}}]',
        ],
        [
            'slug' => 'deepseek_v3',
            'models' => 'DeepSeek R1 and V3',
            'body' => 'named',
            'wrapper' => [
                'open' => '<｜tool▁calls▁begin｜>',
                'close' => '<｜tool▁calls▁end｜>',
            ],
            'bare' => true,
            'call' => [
                'open' => '<｜tool▁call▁begin｜>function<｜tool▁sep｜>',
                'name_end' => ['```json', '{ahead}{'],
                'close' => [
                    '```{space}<｜tool▁call▁end｜>',
                    '<｜tool▁call▁end｜>',
                ],
            ],
            'example' => "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function"
                . "<｜tool▁sep｜>get_weather\n```json\n{\"city\": \""
                . "Rome\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        ],
        [
            'slug' => 'deepseek_v31',
            'models' => 'DeepSeek V3.1',
            'body' => 'named',
            'wrapper' => [
                'open' => '<｜tool▁calls▁begin｜>',
                'close' => '<｜tool▁calls▁end｜>',
            ],
            'bare' => true,
            'call' => [
                'open' => '<｜tool▁call▁begin｜>',
                'name_end' => '<｜tool▁sep｜>',
                'close' => '<｜tool▁call▁end｜>',
            ],
            'example' => '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weat'
                . 'her<｜tool▁sep｜>{"city": "Rome"}<｜tool▁call▁end｜'
                . '><｜tool▁calls▁end｜>',
        ],
        [
            'slug' => 'kimi_k2',
            'models' => 'Kimi K2',
            'body' => 'named',
            'wrapper' => [
                'open' => [
                    '<|tool_calls_section_begin|>',
                    '<|tool_call_section_begin|>',
                ],
                'close' => [
                    '<|tool_calls_section_end|>',
                    '<|tool_call_section_end|>',
                ],
            ],
            'bare' => true,
            'call' => [
                'open' => '<|tool_call_begin|>',
                'prefix' => 'functions.',
                'numbered' => true,
                'name_end' => ['<|tool_call_argument_begin|>', '{ahead}{'],
                'close' => '<|tool_call_end|>',
            ],
            'example' => '<|tool_calls_section_begin|><|tool_call_begin|>'
                . 'functions.get_weather:0<|tool_call_argument_beg'
                . 'in|>{"city": "Rome"}<|tool_call_end|><|tool_cal'
                . 'ls_section_end|>',
        ],
        [
            'slug' => 'kimi_k2_stripped',
            'models' => 'Kimi K2, where a server drops its tokens',
            'body' => 'named',
            'call' => [
                'open' => 'functions.',
                'numbered' => true,
                'name_end' => '{ahead}{',
                'end' => 'optional',
            ],
            'plain' => true,
            'example' => 'functions.get_weather:0{"city": "Rome"}',
        ],
        [
            'slug' => 'harmony',
            'models' => 'gpt-oss',
            'body' => 'named',
            'call' => [
                'open' => ['<|start|>assistant', '<|channel|>'],
                'open_first' => [
                    '{ahead} to=functions.',
                    '{ahead}to=functions.',
                ],
                'name_behind' => 'to=',
                'prefix' => 'functions.',
                'name_end' => '<|message|>',
                'close' => '<|call|>',
            ],
            'example' => '<|start|>assistant<|channel|>commentary to=func'
                . 'tions.get_weather <|constrain|>json<|message|>{'
                . '"city": "Rome"}<|call|>',
        ],
        [
            'slug' => 'harmony_stripped',
            'models' => 'gpt-oss and GPT 5, where a server drops their t'
                . 'okens',
            'body' => 'named',
            'call' => [
                'open' => [
                    'assistantcommentary to=functions.',
                    'assistant to=functions.',
                    'commentary to=functions.',
                    'to=functions.',
                ],
                'name_end' => [
                    'commentary{space}json{space}{ahead}{',
                    'commentary{space}code{space}{ahead}{',
                    'commentary{space}{ahead}{',
                    'json{space}{ahead}{',
                    'code{space}{ahead}{',
                    ':{space}{ahead}{',
                    '{ahead}{',
                ],
                'close' => '<|call|>',
                'end' => 'optional',
            ],
            'leak' => true,
            'example' => 'assistantcommentary to=functions.get_weather js'
                . 'on{"city": "Rome"}',
        ],
        [
            'slug' => 'solar_open',
            'models' => 'Solar Open',
            'body' => 'named',
            'wrapper' => [
                'open' => '<|tool_calls|>',
                'close' => '<|calls|>',
            ],
            'bare' => true,
            'call' => [
                'open' => '<|tool_call:begin|>{id}<|tool_call:name|>',
                'name_end' => '<|tool_call:args|>',
                'close' => '<|tool_call:end|>',
            ],
            'example' => '<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|to'
                . 'ol_call:name|>get_weather<|tool_call:args|>{"ci'
                . 'ty": "Rome"}<|tool_call:end|><|calls|>',
        ],
        [
            'slug' => 'plamo3',
            'models' => 'PLaMo 3',
            'body' => 'named',
            'wrapper' => [
                'open' => '<|plamo:begin_tool_requests:plamo|>',
                'close' => '<|plamo:end_tool_requests:plamo|>',
            ],
            'bare' => true,
            'call' => [
                'open' => [
                    '<|plamo:begin_tool_request:plamo|>{spac'
                        . 'e}<|plamo:begin_tool_name:plamo|>',
                    '<|plamo:begin_tool_name:plamo|>',
                ],
                'name_end' => '<|plamo:end_tool_name:plamo|>{space}<|plamo'
                    . ':begin_tool_arguments:plamo|>{space}<|plamo'
                    . ':constrain|>json{space}<|plamo:msg|>',
                'close' => [
                    '<|plamo:end_tool_arguments:plamo|>{spac'
                        . 'e}<|plamo:end_tool_request:plamo|>',
                    '<|plamo:end_tool_arguments:plamo|>',
                ],
            ],
            'example' => '<|plamo:begin_tool_requests:plamo|><|plamo:begi'
                . 'n_tool_request:plamo|><|plamo:begin_tool_name:p'
                . 'lamo|>get_weather<|plamo:end_tool_name:plamo|><'
                . '|plamo:begin_tool_arguments:plamo|><|plamo:cons'
                . 'train|>json<|plamo:msg|>{"city": "Rome"}<|plamo'
                . ':end_tool_arguments:plamo|><|plamo:end_tool_req'
                . 'uest:plamo|><|plamo:end_tool_requests:plamo|>',
        ],
        [
            'slug' => 'functionary_v31',
            'models' => 'Functionary 3.1',
            'body' => 'named',
            'call' => [
                'open' => '<function=',
                'name_end' => '>',
                'close' => '</function>',
            ],
            'example' => '<function=get_weather>{"city": "Rome"}</functio'
                . 'n>',
        ],
        [
            'slug' => 'functionary_v32',
            'models' => 'Functionary 3.2',
            'body' => 'named',
            'call' => [
                'open' => '>>>',
                'name_end' => "\n",
                'end' => 'optional',
            ],
            'example' => ">>>get_weather\n{\"city\": \"Rome\"}",
        ],
        [
            'slug' => 'calling_tool',
            'models' => 'any model, as gateways write calls into its tex'
                . 't',
            'body' => 'named',
            'call' => [
                'open' => '[Calling tool:{space}',
                'name_end' => ['(', ']{space}Input:', ']{space}{ahead}{'],
                'close' => ')]',
                'end' => 'optional',
            ],
            'leak' => true,
            'example' => '[Calling tool: get_weather({"city": "Rome"})]',
        ],
        [
            'slug' => 'react',
            'models' => 'any model that is asked for Action and Action I'
                . 'nput',
            'body' => 'named',
            'call' => [
                'open' => 'Action:{space}',
                'name_end' => 'Action Input:',
                'end' => 'optional',
                'turns' => 'Observation:',
            ],
            'plain' => true,
            'example' => "Action: get_weather\nAction Input: {\"city\": \""
                . "Rome\"}",
        ],
        [
            'slug' => 'mcp_tool',
            'models' => 'Cline, Roo Code and models tuned for them',
            'body' => 'named',
            'call' => [
                'open' => '<use_mcp_tool>{space}<server_name>{space}{w'
                    . 'ord}{space}</server_name>{space}<tool_name>',
                'name_end' => '</tool_name>{space}<arguments>',
                'close' => '</arguments>{space}</use_mcp_tool>',
            ],
            'example' => "<use_mcp_tool>\n<server_name>get_weather</serve"
                . "r_name>\n<tool_name>get_weather</tool_name>\n<a"
                . "rguments>\n{\"city\": \"Rome\"}\n</arguments>\n"
                . "</use_mcp_tool>",
        ],
        [
            'slug' => 'qwen3_coder',
            'models' => 'Qwen3-Coder, Nemotron 3, Step 3.5, MiMo, Nanbei'
                . 'ge',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<tool_call>',
                'close' => '</tool_call>',
                'single' => true,
            ],
            'bare' => true,
            'call' => [
                'open' => '<function=',
                'name_end' => '>',
                'close' => '</function>',
            ],
            'parameter' => [
                'open' => '<parameter=',
                'key_end' => '>',
                'close' => '</parameter>',
                'trim_lines' => true,
            ],
            'example' => "<tool_call>\n<function=get_weather>\n<parameter"
                . "=city>\nRome\n</parameter>\n</function>\n</tool"
                . "_call>",
        ],
        [
            'slug' => 'seed_oss',
            'models' => 'Seed-OSS',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<seed:tool_call>',
                'close' => '</seed:tool_call>',
                'single' => true,
            ],
            'call' => [
                'open' => '<function=',
                'name_end' => '>',
                'close' => '</function>',
            ],
            'parameter' => [
                'open' => '<parameter=',
                'key_end' => '>',
                'close' => '</parameter>',
                'trim_lines' => true,
            ],
            'example' => "<seed:tool_call>\n<function=get_weather>\n<para"
                . "meter=city>Rome</parameter>\n</function>\n</see"
                . "d:tool_call>",
        ],
        [
            'slug' => 'minicpm5',
            'models' => 'MiniCPM 5',
            'body' => 'tagged',
            'call' => [
                'open' => '<function',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</function>',
            ],
            'parameter' => [
                'open' => '<param',
                'attribute' => 'name',
                'key_end' => '>',
                'close' => '</param>',
                'trim_lines' => true,
            ],
            'example' => '<function name="get_weather"><param name="city"'
                . '>Rome</param></function>',
        ],
        [
            'slug' => 'cofl',
            'models' => 'Command A of 2026',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<cofl:tool_calls>',
                'close' => '</cofl:tool_calls>',
            ],
            'bare' => true,
            'call' => [
                'open' => [
                    '<cofl:tool_call id="{id}" name="',
                    '<cofl:tool_call name="',
                ],
                'name_end' => '">',
                'close' => '</cofl:tool_call>',
            ],
            'parameter' => [
                'open' => '<cofl:value',
                'attribute' => 'name',
                'type_attribute' => 'type',
                'key_end' => '>',
                'close' => '</cofl:value>',
                'nested' => true,
            ],
            'example' => '<cofl:tool_calls><cofl:tool_call id="0" name="g'
                . 'et_weather"><cofl:value name="city" type="raw">'
                . 'Rome</cofl:value></cofl:tool_call></cofl:tool_c'
                . 'alls>',
        ],
        [
            'slug' => 'deepseek_v32',
            'models' => 'DeepSeek V3.2',
            'body' => 'tagged',
            'wrapper' => [
                'open' => [
                    '<｜DSML｜{space}function_calls>',
                    '<｜｜DSML｜｜{space}function_calls>',
                    '<||DSML||{space}function_calls>',
                ],
                'close' => [
                    '</｜DSML｜{space}function_calls>',
                    '</｜｜DSML｜｜{space}function_calls>',
                    '</||DSML||{space}function_calls>',
                ],
            ],
            'bare' => true,
            'call' => [
                'open' => [
                    '<｜DSML｜{space}invoke',
                    '<｜｜DSML｜｜{space}invoke',
                    '<||DSML||{space}invoke',
                ],
                'attribute' => 'name',
                'name_end' => '>',
                'close' => [
                    '</｜DSML｜{space}invoke>',
                    '</｜｜DSML｜｜{space}invoke>',
                    '</||DSML||{space}invoke>',
                    '</invoke>',
                ],
            ],
            'parameter' => [
                'open' => [
                    '<｜DSML｜{space}parameter',
                    '<｜｜DSML｜｜{space}parameter',
                    '<||DSML||{space}parameter',
                ],
                'attribute' => 'name',
                'type_attribute' => 'string',
                'key_end' => '>',
                'close' => [
                    '</｜DSML｜{space}parameter>',
                    '</｜｜DSML｜｜{space}parameter>',
                    '</||DSML||{space}parameter>',
                    '</parameter>',
                ],
            ],
            'example' => [
                'call' => "<｜DSML｜function_calls>\n<｜DSML｜invoke name="
                    . "\"get_weather\">\n<｜DSML｜parameter name=\"c"
                    . "ity\" string=\"true\">Rome</｜DSML｜parameter"
                    . ">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
                'gap' => ['behind_text' => "\n\n", 'alone' => "\n\n"],
            ],
        ],
        [
            'slug' => 'deepseek_v4',
            'models' => 'DeepSeek V4 and V4.1',
            'body' => 'tagged',
            'wrapper' => [
                'open' => [
                    '<｜DSML｜{space}tool_calls>',
                    '<｜｜DSML｜｜{space}tool_calls>',
                    '<||DSML||{space}tool_calls>',
                    '<｜DSML｜{space}calls>',
                    '<｜｜DSML｜｜{space}calls>',
                    '<||DSML||{space}calls>',
                ],
                'close' => [
                    '</｜DSML｜{space}tool_calls>',
                    '</｜｜DSML｜｜{space}tool_calls>',
                    '</||DSML||{space}tool_calls>',
                    '</｜DSML｜{space}calls>',
                    '</｜｜DSML｜｜{space}calls>',
                    '</||DSML||{space}calls>',
                ],
            ],
            'bare' => false,
            'call' => [
                'open' => [
                    '<｜DSML｜{space}invoke',
                    '<｜｜DSML｜｜{space}invoke',
                    '<||DSML||{space}invoke',
                ],
                'attribute' => 'name',
                'name_end' => '>',
                'close' => [
                    '</｜DSML｜{space}invoke>',
                    '</｜｜DSML｜｜{space}invoke>',
                    '</||DSML||{space}invoke>',
                    '</invoke>',
                ],
            ],
            'parameter' => [
                'open' => [
                    '<｜DSML｜{space}parameter',
                    '<｜｜DSML｜｜{space}parameter',
                    '<||DSML||{space}parameter',
                ],
                'attribute' => 'name',
                'type_attribute' => 'string',
                'key_end' => '>',
                'close' => [
                    '</｜DSML｜{space}parameter>',
                    '</｜｜DSML｜｜{space}parameter>',
                    '</||DSML||{space}parameter>',
                    '</parameter>',
                ],
            ],
            'example' => [
                'call' => "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"ge"
                    . "t_weather\">\n<｜DSML｜parameter name=\"city\""
                    . " string=\"true\">Rome</｜DSML｜parameter>\n</"
                    . "｜DSML｜invoke>\n</｜DSML｜tool_calls>",
                'gap' => ['behind_text' => "\n\n", 'alone' => "\n\n"],
            ],
        ],
        [
            'slug' => 'gigachat35',
            'models' => 'GigaChat 3.5',
            'body' => 'tagged',
            'wrapper' => [
                'open' => [
                    '<｜GCML｜function_calls>',
                    '<｜GCML｜tool_calls>',
                ],
                'close' => [
                    '</｜GCML｜function_calls>',
                    '</｜GCML｜tool_calls>',
                ],
            ],
            'bare' => true,
            'call' => [
                'open' => '<｜GCML｜invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</｜GCML｜invoke>',
            ],
            'parameter' => [
                'open' => '<｜GCML｜parameter',
                'attribute' => 'name',
                'type_attribute' => 'string',
                'key_end' => '>',
                'close' => '</｜GCML｜parameter>',
            ],
            'example' => "<｜GCML｜function_calls>\n<｜GCML｜invoke name=\"ge"
                . "t_weather\">\n<｜GCML｜parameter name=\"city\" st"
                . "ring=\"true\">Rome</｜GCML｜parameter>\n</｜GCML｜i"
                . "nvoke>\n</｜GCML｜function_calls>",
        ],
        [
            'slug' => 'kimi_k3',
            'models' => 'Kimi K3',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<|open|>tools<|sep|>',
                'close' => '<|close|>tools<|sep|>',
            ],
            'bare' => true,
            'call' => [
                'open' => '<|open|>call',
                'attribute' => 'tool',
                'name_end' => '<|sep|>',
                'close' => '<|close|>call<|sep|>',
            ],
            'parameter' => [
                'open' => '<|open|>argument',
                'attribute' => 'key',
                'type_attribute' => 'type',
                'key_end' => '<|sep|>',
                'close' => '<|close|>argument<|sep|>',
            ],
            'example' => '<|open|>tools<|sep|><|open|>call tool="get_weat'
                . 'her" index="1"<|sep|><|open|>argument key="city'
                . '" type="string"<|sep|>Rome<|close|>argument<|se'
                . 'p|><|close|>call<|sep|><|close|>tools<|sep|>',
        ],
        [
            'slug' => 'solar_open2',
            'models' => 'Solar Open 2',
            'body' => 'tagged',
            'call' => [
                'open' => '<|tool_call:start|>',
                'close' => '<|tool_call:end|>',
            ],
            'parameter' => [
                'open' => '<|tool_arg:start|>',
                'key_end' => '<|tool_arg:value|>',
                'close' => '<|tool_arg:end|>',
            ],
            'example' => "<|tool_call:start|>get_weather\n<|tool_arg:star"
                . "t|>city<|tool_arg:value|>Rome<|tool_arg:end|>\n"
                . "<|tool_call:end|>",
        ],
        [
            'slug' => 'glm4',
            'models' => 'GLM 4.5, 4.6 and 4.7, GLM 5, Ling 3, Spark 2.5,'
                . ' Poolside',
            'body' => 'tagged',
            'call' => [
                'open' => '<tool_call>',
                'close' => '</tool_call>',
            ],
            'parameter' => [
                'open' => '<arg_key>',
                'key_end' => '</arg_key>{space}<arg_value>',
                'close' => '</arg_value>',
            ],
            'example' => "<tool_call>get_weather\n<arg_key>city</arg_key>"
                . "\n<arg_value>Rome</arg_value>\n</tool_call>",
        ],
        [
            'slug' => 'k2_horizon',
            'models' => 'K2 Horizon',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<ifm|tool_calls>',
                'close' => '</ifm|tool_calls>',
            ],
            'call' => [
                'open' => '<ifm|tool_call>',
                'close' => '</ifm|tool_call>',
            ],
            'parameter' => [
                'open' => '<ifm|arg_key>',
                'key_end' => '</ifm|arg_key>{space}<ifm|arg_value>',
                'close' => '</ifm|arg_value>',
            ],
            'example' => "<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<"
                . "ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>"
                . "Rome</ifm|arg_value>\n</ifm|tool_call>\n</ifm|t"
                . "ool_calls>",
        ],
        [
            'slug' => 'hunyuan',
            'models' => 'Hunyuan HY v3 and v4',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<tool_calls{suffix}>',
                'close' => '</tool_calls{suffix}>',
            ],
            'call' => [
                'open' => '<tool_call{suffix}>',
                'name_end' => '<tool_sep{suffix}>',
                'close' => '</tool_call{suffix}>',
            ],
            'parameter' => [
                'open' => '<arg_key{suffix}>',
                'key_end' => '</arg_key{suffix}>{space}<arg_value{suffix}'
                    . '>',
                'close' => '</arg_value{suffix}>',
            ],
            'example' => '<tool_calls><tool_call>get_weather<tool_sep><ar'
                . 'g_key>city</arg_key><arg_value>Rome</arg_value>'
                . '</tool_call></tool_calls>',
        ],
        [
            'slug' => 'minimax_m2',
            'models' => 'MiniMax M2',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<minimax:tool_call>',
                'close' => '</minimax:tool_call>',
            ],
            'call' => [
                'open' => '<invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</invoke>',
            ],
            'parameter' => [
                'open' => '<parameter',
                'attribute' => 'name',
                'key_end' => '>',
                'close' => '</parameter>',
            ],
            'example' => [
                'call' => "<minimax:tool_call>\n<invoke name=\"get_wea"
                    . "ther\">\n<parameter name=\"city\">Rome</par"
                    . "ameter>\n</invoke>\n</minimax:tool_call>",
                'gap' => ['behind_text' => "\n", 'alone' => "\n"],
            ],
        ],
        [
            'slug' => 'minimax_m3',
            'models' => 'MiniMax M3',
            'body' => 'tagged',
            'wrapper' => [
                'open' => ']<]minimax[>[<tool_call>',
                'close' => ']<]minimax[>[</tool_call>',
            ],
            'call' => [
                'open' => ']<]minimax[>[<invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => ']<]minimax[>[</invoke>',
            ],
            'parameter' => [
                'open' => ']<]minimax[>[<',
                'key_end' => '>',
                'close' => ']<]minimax[>[</{name}>',
                'nested' => true,
            ],
            'example' => ']<]minimax[>[<tool_call>]<]minimax[>[<invoke na'
                . 'me="get_weather">]<]minimax[>[<city>Rome]<]mini'
                . 'max[>[</city>]<]minimax[>[</invoke>]<]minimax[>'
                . '[</tool_call>',
        ],
        [
            'slug' => 'muse',
            'models' => 'Muse',
            'body' => 'tagged',
            'wrapper' => [
                'open' => [
                    ' to={word}<|message|>{space}<atem:funct'
                        . 'ion_calls>',
                    '<atem:function_calls>',
                    '<|start|>assistant to={word}<|message|>'
                        . '{space}<atem:function_calls>',
                ],
                'close' => '</atem:function_calls>',
            ],
            'call' => [
                'open' => '<atem:invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</atem:invoke>',
            ],
            'parameter' => [
                'open' => '<atem:parameter',
                'attribute' => 'name',
                'key_end' => '>',
                'close' => '</atem:parameter>',
            ],
            'example' => [
                'call' => " to=get_weather<|message|><atem:function_ca"
                    . "lls>\n<atem:invoke name=\"get_weather\">\n<"
                    . "atem:parameter name=\"city\">Rome</atem:par"
                    . "ameter>\n</atem:invoke>\n</atem:function_ca"
                    . "lls>",
                'gap' => '',
            ],
        ],
        [
            'slug' => 'dots',
            'models' => 'dots',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<dots_function_call>',
                'close' => '</dots_function_call>',
            ],
            'call' => [
                'open' => '<invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</invoke>',
            ],
            'parameter' => [
                'open' => '<parameter',
                'attribute' => 'name',
                'key_end' => '>',
                'close' => '</parameter>',
            ],
            'example' => "<dots_function_call>\n<invoke name=\"get_weathe"
                . "r\">\n<parameter name=\"city\">Rome</parameter>"
                . "\n</invoke>\n</dots_function_call>",
        ],
        [
            'slug' => 'step3',
            'models' => 'Step 3',
            'body' => 'tagged',
            'wrapper' => [
                'open' => '<｜tool_calls_begin｜>',
                'close' => '<｜tool_calls_end｜>',
            ],
            'bare' => true,
            'call' => [
                'open' => '<｜tool_call_begin｜>function<｜tool_sep｜>{spa'
                    . 'ce}<steptml:invoke',
                'attribute' => 'name',
                'name_end' => '>',
                'close' => '</steptml:invoke>{space}<｜tool_call_end｜>',
            ],
            'parameter' => [
                'open' => '<steptml:parameter',
                'attribute' => 'name',
                'key_end' => '>',
                'close' => '</steptml:parameter>',
            ],
            'example' => '<｜tool_calls_begin｜><｜tool_call_begin｜>function'
                . '<｜tool_sep｜><steptml:invoke name="get_weather">'
                . '<steptml:parameter name="city">Rome</steptml:pa'
                . 'rameter></steptml:invoke><｜tool_call_end｜><｜too'
                . 'l_calls_end｜>',
        ],
        [
            'slug' => 'anthropic',
            'models' => 'Claude, as text',
            'body' => 'tagged',
            'wrapper' => [
                'open' => [
                    '<function_calls>',
                    '<antml:function_calls>',
                    '<tool_calls>{space}{ahead}<invoke',
                    '<tool_call>{space}{ahead}<invoke',
                ],
                'close' => [
                    '</function_calls>',
                    '</antml:function_calls>',
                    '</tool_calls>',
                    '</tool_call>',
                ],
            ],
            'call' => [
                'open' => ['<invoke', '<antml:invoke'],
                'attribute' => 'name',
                'name_end' => '>',
                'close' => ['</invoke>', '</antml:invoke>'],
            ],
            'parameter' => [
                'open' => ['<parameter', '<antml:parameter'],
                'attribute' => 'name',
                'key_end' => '>',
                'close' => ['</parameter>', '</antml:parameter>'],
            ],
            'bare' => true,
            'example' => "<function_calls>\n<invoke name=\"get_weather\">"
                . "\n<parameter name=\"city\">Rome</parameter>\n</"
                . "invoke>\n</function_calls>",
        ],
        [
            'slug' => 'cline',
            'models' => 'any model that Cline or Roo Code asks for its t'
                . 'ools as elements',
            'body' => 'tagged',
            'call' => [
                'open' => '<',
                'name_end' => '>',
                'close' => '</{name}>',
                'names' => [
                    'access_mcp_resource',
                    'act_mode_respond',
                    'apply_diff',
                    'ask_followup_question',
                    'attempt_completion',
                    'browser_action',
                    'codebase_search',
                    'execute_command',
                    'fetch_instructions',
                    'insert_content',
                    'list_code_definition_names',
                    'list_files',
                    'load_mcp_documentation',
                    'new_rule',
                    'new_task',
                    'plan_mode_respond',
                    'read_file',
                    'replace_in_file',
                    'report_bug',
                    'search_and_replace',
                    'search_files',
                    'switch_mode',
                    'update_todo_list',
                    'use_mcp_tool',
                    'web_fetch',
                    'web_search',
                    'write_to_file',
                ],
            ],
            'parameter' => [
                'open' => '<',
                'key_end' => '>',
                'close' => '</{name}>',
                'trim_lines' => true,
            ],
            'example' => "<read_file>\n<path>notes.md</path>\n</read_file"
                . ">",
        ],
        [
            'slug' => 'pythonic',
            'models' => 'Llama 4, Llama 3.2, ToolACE',
            'body' => 'literal',
            'wrapper' => [
                'open' => '[',
                'close' => ']',
                'end' => 'required',
            ],
            'plain' => true,
            'example' => '[get_weather(city="Rome")]',
        ],
        [
            'slug' => 'llama4',
            'models' => 'Llama 4',
            'body' => 'literal',
            'wrapper' => [
                'open' => '<|python_start|>{space}[',
                'close' => [']{space}<|python_end|>', ']'],
            ],
            'example' => '<|python_start|>[get_weather(city="Rome")]<|pyt'
                . 'hon_end|>',
        ],
        [
            'slug' => 'olmo3',
            'models' => 'Olmo 3',
            'body' => 'literal',
            'wrapper' => [
                'open' => '<function_calls>',
                'close' => '</function_calls>',
            ],
            'example' => '<function_calls>get_weather(city="Rome")</funct'
                . 'ion_calls>',
        ],
        [
            'slug' => 'lfm2',
            'models' => 'LFM 2',
            'body' => 'literal',
            'wrapper' => [
                'open' => '<|tool_call_start|>{space}[',
                'close' => ']{space}<|tool_call_end|>',
            ],
            'example' => '<|tool_call_start|>[get_weather(city="Rome")]<|'
                . 'tool_call_end|>',
        ],
        [
            'slug' => 'gemma4',
            'models' => 'Gemma 4',
            'body' => 'literal',
            'call' => [
                'open' => '<|tool_call>',
                'prefix' => 'call:',
                'close' => '<tool_call|>',
            ],
            'quote' => '<|"|>',
            'example' => '<|tool_call>call:get_weather{city:<|"|>Rome<|"|'
                . '>}<tool_call|>',
        ],
        [
            'slug' => 'functiongemma',
            'models' => 'FunctionGemma',
            'body' => 'literal',
            'call' => [
                'open' => '<start_function_call>call:',
                'close' => '<end_function_call>',
            ],
            'quote' => '<escape>',
            'example' => '<start_function_call>call:get_weather{city:<esc'
                . 'ape>Rome<escape>}<end_function_call>',
        ],
        [
            'slug' => 'gemini',
            'models' => 'Gemini, where its inner form leaks',
            'body' => 'literal',
            'call' => [
                'open' => [
                    '<ctrl42>call:default_api:',
                    'call:default_api:',
                ],
                'close' => ['<ctrl42>{end}', '<ctrl46>{end}'],
                'end' => 'optional',
            ],
            'quote' => '<ctrl46>',
            'leak' => true,
            'example' => 'call:default_api:get_weather{city:<ctrl46>Rome<'
                . 'ctrl46>}',
        ],
    ];
}
