<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/** The names that mark secrets, as core has them (core/src/redact/key.rs). */
final class SecretNames
{
    /** Names of secrets at any place in a key. */
    private const NAMES = [
        'password', 'passwords', 'password1', 'password2', 'password_again', 'password_confirm',
        'password_confirmation', 'password_hash', 'password_repeat', 'passwd', 'passwd1',
        'passwd2', 'passphrase', 'passkey', 'pwd', 'user_pass', 'admin_pass', 'db_pass',
        'ftp_pass', 'mail_pass', 'new_pass', 'root_pass', 'smtp_pass', 'pass1', 'pass2', 'token',
        'access_tokens', 'api_tokens', 'auth_tokens', 'refresh_tokens', 'session_tokens', 'jwt',
        'bearer', 'secret', 'secrets', 'credential', 'credentials', 'authorization',
        'basic_auth', 'github_pat', 'gh_pat', 'api_key', 'api_keys', 'apikeys', 'access_key',
        'account_key', 'activation_key', 'auth_key', 'consumer_key', 'deploy_key',
        'encryption_key', 'hmac_key', 'licence_key', 'license_key', 'logged_in_key',
        'master_key', 'nonce_key', 'private_key', 'recovery_key', 'reset_key', 'rm_key',
        'rp_key', 'secret_key', 'security_key', 'service_key', 'session_key', 'signing_key',
        'ssh_key', 'webhook_key', 'auth_salt', 'logged_in_salt', 'nonce_salt', 'password_salt',
        'session_id', 'sessid', 'phpsessid', 'wpnonce', 'wordpress_logged_in', 'wordpress_sec',
        'wp_postpass', 'wp_resetpass', 'otp', 'totp', 'cvv', 'cvc', 'mfa_code', 'recovery_code',
        'recovery_codes', 'backup_codes', 'security_code', 'verification_code',
    ];

    /** Names of secrets that count only at the end of a key. */
    private const ENDS = [
        'pass', 'pin', 'cookie', 'cookies', 'nonce', 'session',
    ];

    /** Names of secrets that also count at the end of a word. */
    private const TAILS = [
        'password', 'passwords', 'passwd', 'passphrase', 'token', 'secret', 'secrets',
        'credential', 'credentials', 'apikey', 'accesskey', 'privatekey', 'secretkey',
    ];

    /** The last words of a key whose value is a name. */
    private const NAME_KEYS = [
        'name', 'key', 'option', 'field', 'header', 'setting', 'param', 'parameter', 'property',
        'attribute', 'variable', 'var',
    ];

    /** The last words of a key whose value belongs to a name beside it. */
    private const VALUE_KEYS = [
        'value', 'values', 'val', 'old', 'new', 'before', 'after', 'default',
    ];

    /** The most words of a name; a longer text is prose. */
    private const NAME_WORDS = 4;

    /** The longest key whose answer is remembered, and how many are. */
    private const LONGEST_KNOWN = 200;

    private const MOST_KNOWN = 1000;

    /** @var list<string> joined words */
    private $secrets;

    /** @var list<string> */
    private $ends;

    /** @var list<string> */
    private $tails;

    /** @var array<string, bool> what was asked before */
    private $known = [];

    /**
     * @param list<string> $names
     * @param list<string> $ends
     * @param list<string> $tails
     */
    private function __construct(array $names, array $ends, array $tails)
    {
        $joined = static function (string $name): string {
            return self::words(\Toolwire\Plain\Utf8::lossy($name))[0];
        };
        $this->secrets = array_values(array_filter(array_map($joined, $names), 'strlen'));
        $this->ends = $ends;
        $this->tails = $tails;
    }

    /** @param list<string> $names */
    public static function withDefaults(array $names): self
    {
        return new self(array_merge(self::NAMES, $names), self::ENDS, self::TAILS);
    }

    /** @param list<string> $names */
    public static function only(array $names): self
    {
        return new self($names, [], []);
    }

    /** Whether the key's value is the name of a value beside it. */
    public static function holdsName(string $key): bool
    {
        return self::endsWithAny(self::words($key), self::NAME_KEYS);
    }

    /** Whether the key's value belongs to a name beside it. */
    public static function holdsValue(string $key): bool
    {
        return self::endsWithAny(self::words($key), self::VALUE_KEYS);
    }

    /** Whether a text is the name of a secret. */
    public function nameSecret(string $text): bool
    {
        $words = preg_split('/\s+/u', $text, self::NAME_WORDS + 2, PREG_SPLIT_NO_EMPTY) ?: [];
        return count($words) <= self::NAME_WORDS && $this->hide($text);
    }

    /** Whether this key names a secret. */
    public function hide(string $key): bool
    {
        if (strlen($key) > self::LONGEST_KNOWN) {
            return $this->hideOne($key);
        }
        if (count($this->known) >= self::MOST_KNOWN) {
            $this->known = [];
        }
        return $this->known["\0$key"] ?? ($this->known["\0$key"] = $this->hideOne($key));
    }

    private function hideOne(string $key): bool
    {
        if ($this->secrets === [] && $this->ends === []) {
            return false;
        }
        $words = self::words($key);
        [$joined, $ends] = $words;
        $places = array_fill_keys($ends, true);
        foreach ($this->secrets as $secret) {
            for ($at = -1; ($at = strpos($joined, $secret, $at + 1)) !== false;) {
                if (($at === 0 || isset($places[$at])) && isset($places[$at + strlen($secret)])) {
                    return true;
                }
            }
        }
        return $this->hasTail($joined, $ends) || self::endsWithAny($words, $this->ends);
    }

    /** @param list<int> $ends */
    private function hasTail(string $joined, array $ends): bool
    {
        $start = 0;
        foreach ($ends as $end) {
            $word = rtrim(substr($joined, $start, $end - $start), '0123456789');
            foreach ($this->tails as $tail) {
                if (substr($word, -strlen($tail)) === $tail) {
                    return true;
                }
            }
            $start = $end;
        }
        return false;
    }

    /**
     * @param array{string, list<int>} $words
     * @param list<string> $others
     */
    private static function endsWithAny(array $words, array $others): bool
    {
        [$joined, $ends] = $words;
        foreach ($others as $other) {
            $start = strlen($joined) - strlen($other);
            $isEnd = $start >= 0 && substr($joined, $start) === $other;
            if ($isEnd && ($start === 0 || in_array($start, $ends, true))) {
                return true;
            }
        }
        return false;
    }

    /** @return array{string, list<int>} the words of a key in lower case, and where each ends */
    private static function words(string $key): array
    {
        [$joined, $ends, $start, $afterSmall] = ['', [], 0, false];
        $letters = preg_split('//u', $key, -1, PREG_SPLIT_NO_EMPTY) ?: [];
        foreach ($letters as $letter) {
            $isWord = preg_match('/^(?:\p{L}|\p{N})$/u', $letter) === 1;
            $isCapital = $isWord && preg_match('/^\p{Lu}$/u', $letter) === 1;
            if ((!$isWord || ($afterSmall && $isCapital)) && strlen($joined) > $start) {
                $start = strlen($joined);
                $ends[] = $start;
            }
            if ($isWord) {
                $joined .= function_exists('mb_strtolower')
                    ? mb_strtolower($letter, 'UTF-8')
                    : strtolower($letter);
            }
            $afterSmall = preg_match('/^(?:\p{Ll}|\p{N})$/u', $letter) === 1;
        }
        if (strlen($joined) > $start) {
            $ends[] = strlen($joined);
        }
        return [$joined, $ends];
    }
}
