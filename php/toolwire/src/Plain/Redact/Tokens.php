<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/**
 * Texts that look like a token of a service, by core's expression (core/src/redact/tokens.rs).
 *
 * JSON Web Tokens are searched for beside it: a text with many beginnings of one and no end would
 * be read to its end from each of them.
 */
final class Tokens
{
    private const TOKENS = <<<'EXPRESSION'
    \b gh[opsur]_[A-Za-z0-9]{20,}
  | \b github_pat_[A-Za-z0-9_]{20,}
  | \b glpat-[A-Za-z0-9_-]{16,}
  | \b [sr]k[-_][A-Za-z0-9_-]{20,}
  | \b whsec_[A-Za-z0-9+/=]{16,}
  | \b (?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}
  | \b (?:AKIA|ASIA)[A-Z0-9]{16} \b
  | \b AIza[A-Za-z0-9_-]{30,}
  | \b GOCSPX-[A-Za-z0-9_-]{20,}
  | \b ya29\.[A-Za-z0-9_-]{20,}
  | \b (?:npm|hf|pypi)[-_][A-Za-z0-9_-]{24,}
  | \b dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}
  | \b do[opr]_v1_[a-f0-9]{32,}
  | \b SK[0-9a-fA-F]{32} \b
  | \b SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
  | \b AGE-SECRET-KEY-1[0-9A-Z]{20,}
  | -----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----
        (?:\s*(?:Proc-Type:\ 4,ENCRYPTED|DEK-Info:\ [A-Z0-9-]{1,30},[0-9A-Fa-f]{8,64}))*
        (?:[\s>"'+,|*\#-]{0,16}[A-Za-z0-9+/]{16,}={0,2})*
        (?:[\s>"'+,|*\#-]{0,16}[A-Za-z0-9+/]{0,76}={0,2}(?:
            [\s>"'+,|*\#]{0,16}-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----|\s*\z))?
  | \b [0-9]{10} \| [A-Za-z0-9]{20,64} \| [0-9a-f]{64} \b
  | \$[PH]\$[./0-9A-Za-z]{31}
  | (?:\$wp)?\$2[abxy]\$[0-9]{2}\$[./0-9A-Za-z]{53}
  | \$argon2(?:i|d|id)\$[a-z0-9=,$]{1,60}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}
  | \$generic\$[A-Za-z0-9+/_-]{20,}={0,2}
  | (?<reset>\bwp-(?:login|activate)\.php\?(?:[^\s"'<>]{0,256}?[&;])?
        (?:key|rm_key|rm_token|confirm_key)=)
    [A-Za-z0-9]{8,64}
  | (?<bearer>\b(?i:bearer)[\ \t]+)[A-Za-z0-9._~+/=-]{16,}
  | (?<basic>\b(?i:authorization["']?[\ \t]*[:=][\ \t]*["']?basic)[\ \t]+)[A-Za-z0-9+/_=-]{8,}
  | (?<cookie>\b(?i:cookie["']?[\ \t]*:[\ \t]*["']?))
        [^\s=;"'`]{1,128}=[^\s;,"'`<>\\(){}\[\]]+
        (?:;\ *[^\s=;"'`<>]{1,128}=[^\s;,"'`<>\\(){}\[\]]+)*
  | (?<account>\b(?i:AccountKey|SharedAccessKey|SharedAccessSignature)=)[A-Za-z0-9+/=%&_-]{20,}
  | (?<application>\b(?i:app(?:lication)?[\ _-]?pass(?:word|wd)?)
        (?:[\ ](?i:is|was|for[\ ][a-z0-9_.@-]{1,60}))?[\ \t:=`"']{1,8})
    (?:[A-Za-z0-9]{4}[\ +]){5}[A-Za-z0-9]{4} \b
  | (?<scheme>://[^\s/:@]{0,64}:)[^\s/@]{1,256}(?<tail>@)
EXPRESSION;

    /** The groups before a secret, which are kept. */
    private const HEADS = [
        'bearer', 'basic', 'cookie', 'account', 'application', 'reset', 'scheme',
    ];

    /** @var string */
    private $text;

    /** @var WebTokens */
    private $webTokens;

    private function __construct(string $text)
    {
        $this->text = $text;
        $this->webTokens = new WebTokens($text);
    }

    /** @return list<int>|null spans as {@see Strike} has them; null where that takes too long */
    public static function in(string $text): ?array
    {
        return (new self($text))->all();
    }

    /** @return list<int>|null */
    private function all(): ?array
    {
        $found = [];
        $from = 0;
        [$token, $webToken] = [[-1, 0, 0, 0], [-1, 0]];
        while (true) {
            if ($token !== null && $token[0] < $from) {
                $token = $this->token($from);
                if ($token === []) {
                    return null;
                }
            }
            if ($webToken !== null && $webToken[0] < $from) {
                $webToken = $this->webTokens->from($from);
            }
            if ($token === null && $webToken === null) {
                return $found;
            }
            // No other token begins as a web token does.
            if ($token === null || ($webToken !== null && $webToken[0] < $token[0])) {
                [$start, $from] = $webToken;
                $found[] = Strike::span($start, $from);
            } else {
                $from = $token[1];
                $found[] = Strike::span($token[2], $token[3]);
            }
        }
    }

    /**
     * The next token that is no web token: where it begins and ends, and the same of its secret;
     * null if there is none, an empty list where the search takes too long.
     *
     * @return array{int, int, int, int}|array{}|null
     */
    private function token(int $from): ?array
    {
        static $expression = null;
        $expression = $expression ?? '~' . str_replace('~', '\~', self::TOKENS) . '~x';
        $count = preg_match($expression, $this->text, $one, PREG_OFFSET_CAPTURE, $from);
        if ($count !== 1) {
            return $count === 0 ? null : [];
        }
        [$start, $end] = [$one[0][1], $one[0][1] + strlen($one[0][0])];
        $secret = $start;
        foreach (self::HEADS as $head) {
            if (isset($one[$head]) && $one[$head][1] >= 0) {
                $secret = $one[$head][1] + strlen($one[$head][0]);
            }
        }
        $hasTail = isset($one['tail']) && $one['tail'][1] >= 0;
        return [$start, $end, $secret, $hasTail ? $one['tail'][1] : $end];
    }
}
