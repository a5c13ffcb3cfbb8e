<?php

declare(strict_types=1);

namespace Toolwire\Plain\Redact;

/** Texts that look like a token of a service, by core's expression (core/src/redact/tokens.rs). */
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
  | (?<sendgrid>\bSG\.[A-Za-z0-9_-]{16})
  | \b AGE-SECRET-KEY-1[0-9A-Z]{20,}
  | (?<jwt>\beyJ[A-Za-z0-9_-]{8})
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

    /**
     * The tokens of parts with dots between them: the fewest bytes of each part, behind three
     * bytes. The expression finds only their beginning, since a part may reach to the end of the
     * text.
     */
    private const DOTTED = ['jwt' => [8, 8, 8], 'sendgrid' => [16, 16]];

    private const PART = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

    /** @return list<int>|null spans as {@see Strike} has them; null where that takes too long */
    public static function in(string $text): ?array
    {
        $expression = '~' . str_replace('~', '\~', self::TOKENS) . '~x';
        [$found, $at, $runs] = [[], 0, []];
        while (true) {
            $is = preg_match($expression, $text, $one, PREG_OFFSET_CAPTURE, $at);
            if ($is !== 1) {
                return $is === 0 ? $found : null;
            }
            $start = $one[0][1];
            foreach (self::DOTTED as $name => $parts) {
                if (isset($one[$name]) && $one[$name][1] >= 0) {
                    $end = self::dotted($text, $start + 3, $parts, $runs);
                    $at = $end ?? $start + 3;
                    if ($end !== null) {
                        $found[] = Strike::span($start, $end);
                    }
                    continue 2;
                }
            }
            $at = $start + strlen($one[0][0]);
            $found[] = Strike::span(...self::secret($one));
        }
    }

    /**
     * @param array<array{string|null, int}> $one a match
     * @return array{int, int} the part of it that is a secret
     */
    private static function secret(array $one): array
    {
        $start = $one[0][1];
        $end = $start + strlen((string) $one[0][0]);
        foreach (self::HEADS as $head) {
            if (isset($one[$head]) && $one[$head][1] >= 0) {
                $start = $one[$head][1] + strlen((string) $one[$head][0]);
            }
        }
        if (isset($one['tail']) && $one['tail'][1] >= 0) {
            $end = $one['tail'][1];
        }
        return [$start, $end];
    }

    /**
     * The end of the parts with dots between them at a place, if each has so many bytes. The runs
     * that were read last are kept, so each byte of a run is read once.
     *
     * @param list<int> $parts
     * @param list<array{int, int}> $runs
     */
    private static function dotted(string $text, int $start, array $parts, array &$runs): ?int
    {
        $end = $start - 1;
        foreach ($parts as $number => $fewest) {
            if ($number > 0 && ($text[$end] ?? '') !== '.') {
                return null;
            }
            $part = $end + 1;
            $end = null;
            foreach ($runs as $run) {
                if ($run[0] <= $part && $part < $run[1]) {
                    $end = $run[1];
                }
            }
            if ($end === null) {
                $end = $part + strspn($text, self::PART, min($part, strlen($text)));
                $runs[] = [$part, $end];
                $runs = array_slice($runs, -3);
            }
            if ($end - $part < $fewest) {
                return null;
            }
        }
        return $end;
    }
}
