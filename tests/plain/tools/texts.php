<?php

/** Texts, names and values for the questions. */

declare(strict_types=1);

namespace Toolwire\Tests\Plain\Tools;

use ArrayObject;
use stdClass;

/** @return list<string> */
function some_texts(): array
{
    $long = str_repeat('Aa0', 12);
    $hash = str_repeat('9wR4kT1xB7mQ2zL8', 4);
    $texts = [
        '', 'plain', "line\r\nend\ttab", "a\0b\x7F", "rm \u{202E}txt.a", "ad\u{200D}min",
        'Zoë sends 👩‍💻 ❤️ 1️⃣ 👍🏽', "a\xFFb\xED\xB0\x80c\xED\xB2\xBFd\xC3", "سلام\u{200C}",
            'नमस्ते क्‍ष',
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} \u{E0061}",
        "ghp_$long and sk-proj-$long", "Authorization: Bearer abcdefghijklmnopq",
        "Authorization: Basic bWU6cGFzc3dvcmQ=", "Set-Cookie: sid=a1b2c3; Path=/\nNext",
        "AccountName=x;AccountKey=abcdefghijklmnopqrstuv==;E", "glpat-$long AIza$long hf_$long",
        'application password: abCD 12ef GHij 34kl MNop 56qr.', "eyJ$long.$long.$long",
        "-----BEGIN RSA PRIVATE KEY-----\n$long\n-----END RSA PRIVATE KEY----- after",
        "-----BEGIN PRIVATE KEY-----\nMIIE",
            'See https://me:pass@example.org/x and http://host:80/',
        'admin|1764000000|' . substr($hash, 0, 43) . '|' . str_repeat('0af9', 16),
        'a $P$B' . substr($hash, 0, 30) . ' b $2y$10$' . substr($hash, 0, 53) . ' c',
        'https://example.org/wp-login.php?action=rp&key=9wR4kT1xB7mQ2zL8abcd&login=ann now',
        "ghp_Aa0Aa0Aa0\u{200B}Aa0Aa0Aa0Aa0Aa0Aa0Aa0 x", 'ghp_Aa0Aa0Aa0&shy;Aa0Aa0Aa0Aa0Aa0Aa0 x',
        'user=a&password=hunter2&x=1', 'run --db-password=a,b; c now', 'user[pass]=x&b',
        '{"password":"a\"b","n":1}', '{"pin" : 1234, "token": null}',
        '{"secrets": {"a": ["}"]}, "b": 1}', '{"API key": "cut off', "'db_password' => 'x y',",
        "define = 1\npassword = a b\nnext", 'const token = "a b";', '<input data-token="a b">',
        "X-Api-Key: a b\nAccept: c", 'Authorization: Token a b', "-H 'X-Api-Key: ab' -v",
        "- password: hunter2 \n  user: x", 'Your new API key: abc', '{user: a, password: b}',
        '<p>Password: hunter2</p>', "(password: 'a b')", 'token=$(rm -rf /)',
        'password=a;rm -rf /', 'X-Api-Key: a | sh', "password=\"a\nrm -rf /\"",
        '$password = getenv(\'X\');', 'the password: see the manual', 'Session: Keynote',
        'max_tokens=100&tokenizer=x', 'if (password == other && token != x) {}', 'password=',
        'Secret::new() https://password://x', '"password": ', '[redacted] password=[redacted]',
        'pass%77ord=hunter2', '{\"password\":\"x\"}', '\\u0070assword=y', 'a=b%3Dtoken%3Dz',
        "\xC3password=x\xFF", 'token:=x token=>y token := "z"', str_repeat('password=x ', 40),
        'it costs $2 or $20, and $P$ is a variable', '100% of &amp; C:\\new\\table',
    ];
    $words = [
        'password', '=', ':', ' ', '"', "'", 'token', '{', '}', '[', ']', 'x', 'a b', "\n", ',',
        '%3D', '&quot;', '\\"', 'Api-Key', 'Bearer ', 'abcdefghijklmnop', '://', '@', '|', '(', ')',
        'session', 'Authorization', "\u{200B}", "\u{202E}", '👩', "\u{200D}", "\xFF", 'é', '&', '<',
            '>',
    ];
    for ($number = 0; $number < 3000; $number++) {
        $text = '';
        for ($part = mt_rand(1, 12); $part > 0; $part--) {
            $text .= $words[mt_rand(0, count($words) - 1)];
        }
        $texts[] = $text;
    }
    return $texts;
}

/** @return list<string> */
function some_names(): array
{
    return [
        'password', 'userPassword', 'db-password', 'X-API-KEY', 'apikey', 'OPENAI_API_KEY', 'TOKEN',
        'max_tokens', 'tokens', 'pass', 'passage', 'smtpPass', 'DB_PASS', 'pass_rate', 'Set-Cookie',
        'cookie_policy', 'PHPSESSID', 'NONCE_SALT', 'AWS_ACCESS_KEY_ID', 'card_pin', 'pinned',
        'dbpassword2', 'customerIban', 'iban', 'xY', 'x y', 'ÉtéPassword', 'authtoken', 'keyword',
        'my_apikey_2', 'wordpress_logged_in_5c016e8f', '', '-', 'key', 'meta_key', 'a_password_b',
    ];
}

/** @return list<mixed> */
function some_values(): array
{
    $token = 'ghp_' . str_repeat('Aa0', 12);
    return [
        null, 1, 1.5, true, 'x', $token, [], new stdClass(), ['a', $token, ['password' => 'x']],
        ['option' => 'db_pass', 'value' => 'x', 'n' => 1], ['name' => 'a', 'value' => 'x'],
        (object) ['meta_key' => 'api_key', 'meta_value' => ['a' => 1]], [5 => 'a', 'pin' => '1'],
        [$token => 1, "{$token}b" => 2, '[redacted]' => 3], [new ArrayObject([1])],
        (object) ['a' => (object) ['token' => null], 'list' => [[1, 2], (object) []]],
    ];
}
