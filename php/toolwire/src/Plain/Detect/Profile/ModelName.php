<?php

declare(strict_types=1);

namespace Toolwire\Plain\Detect\Profile;

use Toolwire\Plain\Detect\Tag;
use Toolwire\Plain\Nearest;
use Toolwire\Plain\Utf8;

/**
 * Which profile a model's name means.
 *
 * An organisation, a provider, a folder or a file's ending around the name of the model is left
 * out. The pattern that begins leftmost counts; of several that begin there, the one that says
 * most. A version is never taken for another: an unknown one gives the profile of the nearest
 * version.
 */
final class ModelName
{
    /** The most bytes of a name that are looked at. */
    private const LONGEST = 256;
    /** The most folders of a path that are looked at, from the right. */
    private const MOST_FOLDERS = 8;
    /** The fewest letters of a family: `s1` and `k2` stand in names of other models too. */
    private const FEWEST_LETTERS = 2;
    private const SERVERS = '/^(llama-cpp-|llamacpp-|llama\.cpp-)/i';

    /** @var list<NamePattern>|null */
    private static $patterns = null;

    /** @return list<NamePattern> the patterns of all profiles, in their order */
    private static function patterns(): array
    {
        if (self::$patterns === null) {
            self::$patterns = [];
            foreach (Table::ALL['profiles'] as $row) {
                foreach ((array) ($row['match'] ?? []) as $pattern) {
                    self::$patterns[] = new NamePattern(Tag::lower($pattern), $row['slug']);
                }
            }
        }
        return self::$patterns;
    }

    /**
     * The slug of the profile that a name means, and whether its version is known.
     *
     * @return array{string, bool}|null
     */
    public static function profile(string $name): ?array
    {
        $own = self::same($name);
        if ($own !== null) {
            return [$own, true];
        }
        foreach (self::candidates($name) as $part) {
            $found = self::matching($part);
            if ($found !== null) {
                return [$found->pattern->profile, $found->exact];
            }
        }
        return null;
    }

    /** The profile whose slug or alias is the name. */
    private static function same(string $name): ?string
    {
        $divided = static function (string $name): string {
            return strtr(Tag::lower($name), '-', '_');
        };
        $name = $divided($name);
        foreach (Table::ALL['profiles'] as $row) {
            if ($divided($row['slug']) === $name) {
                return $row['slug'];
            }
        }
        foreach (Table::ALL['profiles'] as $row) {
            if (in_array($name, array_map($divided, (array) ($row['aliases'] ?? [])), true)) {
                return $row['slug'];
            }
        }
        return null;
    }

    /** @return list<string> the parts of a name that may name a model, the likeliest first */
    private static function candidates(string $name): array
    {
        $white = Utf8::WHITE;
        $name = (string) preg_replace("/^[$white]++|[$white]++\$/Du", '', $name);
        $name = rtrim($name, '/\\');
        $isPath = preg_match('~^[/\\\\.\~]|^.:[\\\\/]~s', $name) === 1
            || preg_match('/\.(gguf|safetensors|bin|llamafile)$/iD', $name) === 1;
        $parts = array_reverse((array) preg_split('~[/\\\\]~', $name));
        $candidates = [];
        foreach (array_slice($parts, 0, $isPath ? self::MOST_FOLDERS : 1) as $part) {
            $part = substr($part, 0, self::LONGEST);
            // Amazon's ids begin with words in letters: `us.meta.llama3-1-8b`.
            $candidates[] = (string) preg_replace('/^(?:[a-z]+\.(?=[A-Za-z]))+/', '', $part);
            $candidates[] = $part;
        }
        return $candidates;
    }

    /** The pattern that a name means, the nearest one where its version is not known. */
    private static function matching(string $name): ?MatchedName
    {
        $name = (string) preg_replace(self::SERVERS, '', $name);
        $name = strtr(Tag::lower($name), '_ :', '---');
        // Amazon writes a revision behind a name: `deepseek.v3-v1:0`.
        if (preg_match('/^(.*)-v[0-9]+-[0-9]+$/Ds', $name, $revised) === 1) {
            // A pattern may hold the revision.
            $found = self::best($name);
            if ($found !== null && $found->end > strlen($revised[1])) {
                return $found;
            }
            $name = $revised[1];
        }
        $found = self::best($name);
        if ($found === null) {
            for ($at = 0; $at < strlen($name); $at++) {
                $begins = NamePattern::beginsAt($name, $at);
                $unknown = $begins ? self::withKnownVersion($name, $at) : null;
                if ($unknown !== null) {
                    return self::inexact(self::best($unknown));
                }
            }
            return null;
        }
        $later = self::repeated($name, $found);
        if ($later !== null) {
            return $later;
        }
        $moved = self::behindVariant($name, $found);
        if ($moved !== null) {
            $later = self::best($moved);
            return $later !== null && $later->pattern->weight > $found->pattern->weight
                ? $later
                : self::near($moved, 0) ?? self::inexact($found);
        }
        return self::near($name, $found->start) ?? $found;
    }

    private static function inexact(?MatchedName $found): ?MatchedName
    {
        if ($found !== null) {
            $found->exact = false;
        }
        return $found;
    }

    /** The pattern of the nearest version, where the name's version at a place is not known. */
    private static function near(string $name, int $at): ?MatchedName
    {
        $unknown = self::withKnownVersion($name, $at);
        return $unknown === null ? null : self::inexact(self::best($unknown));
    }

    /** The best pattern in the name. Of patterns that say as much, the first counts. */
    private static function best(string $name): ?MatchedName
    {
        for ($start = 0; $start < strlen($name); $start++) {
            if (!NamePattern::beginsAt($name, $start)) {
                continue;
            }
            $best = null;
            foreach (self::patterns() as $pattern) {
                if ($best !== null && $pattern->weight <= $best->pattern->weight) {
                    continue;
                }
                $end = $pattern->endIn($name, $start);
                $best = $end === null ? $best : new MatchedName($pattern, $start, $end);
            }
            if ($best !== null) {
                return $best;
            }
        }
        return null;
    }

    /**
     * The pattern behind the first word where that stands again, as in
     * `deepseek-ai-deepseek-v3.2`, where a divider took the place of a slash.
     */
    private static function repeated(string $name, MatchedName $found): ?MatchedName
    {
        preg_match('/^[a-z]*/', substr($name, $found->start), $word);
        $behind = $found->start + strlen($word[0]);
        $again = strlen($word[0]) < self::FEWEST_LETTERS || $behind >= strlen($name)
            ? false
            : strrpos($name, $word[0], $behind);
        if ($again === false || !NamePattern::beginsAt($name, $again)) {
            return null;
        }
        $later = self::best(substr($name, $again));
        $says = $later !== null && $later->start === 0
            && $later->pattern->weight > $found->pattern->weight;
        return $says ? $later : null;
    }

    /**
     * The name with the version that follows the words of a variant, as in `deepseek-chat-v3.1`,
     * right behind its first word.
     */
    private static function behindVariant(string $name, MatchedName $found): ?string
    {
        $matched = substr($name, $found->start, $found->end - $found->start);
        $rest = (string) substr($name, $found->end);
        // A pattern with a number has its version already.
        $isVersion = strpbrk($matched, '0123456789') === false && strncmp($rest, '-v', 2) === 0
            && Version::at($rest, 2) !== null;
        $first = strspn($matched, 'abcdefghijklmnopqrstuvwxyz0123456789');
        return $isVersion && $first < strlen($matched) ? substr($matched, 0, $first) . $rest : null;
    }

    /**
     * The name with the nearest known version in place of the one behind the words of a family at a
     * place, if that family has versions and none of them is this one.
     */
    private static function withKnownVersion(string $name, int $at): ?string
    {
        $families = [];
        foreach (self::patterns() as $pattern) {
            $version = Version::firstIn($pattern->written);
            $family = $version === null ? '' : substr($pattern->written, 0, $version->start);
            $letters = preg_match_all('/[a-z]/', $family);
            $isFamily = $letters >= self::FEWEST_LETTERS;
            if ($isFamily && self::behindFamily($name, $at, $family) !== null) {
                $families[$family][] = $version;
            }
        }
        if ($families === []) {
            return null;
        }
        // Of families that begin alike, such as `deepseek` and `deepseek-v`, the longest is meant.
        $longest = max(array_map('strlen', array_map('strval', array_keys($families))));
        foreach ($families as $family => $known) {
            if (strlen((string) $family) < $longest) {
                continue;
            }
            $found = self::behindFamily($name, $at, (string) $family);
            foreach ($known as $version) {
                if ($found === null || $version->numbers === $found->numbers) {
                    return null;
                }
            }
            return substr($name, 0, $found->start) . $found->nearest($known)->written()
                . substr($name, $found->end);
        }
        return null;
    }

    /**
     * The version of a name, if the words of the family stand at a place. A divider may be missing
     * or added between words.
     */
    private static function behindFamily(string $name, int $at, string $family): ?Version
    {
        foreach (str_split($family) as $byte) {
            $own = $name[$at] ?? '';
            if ($own === $byte || ($byte === '.' && $own === '-')) {
                $at++;
            } elseif ($byte !== '-') {
                return null;
            }
        }
        return Version::at($name, $at + (($name[$at] ?? '') === '-' ? 1 : 0));
    }

    /** @return list<string> the slugs of the three profiles whose names are nearest */
    public static function nearest(string $name): array
    {
        $parts = explode('/', Tag::lower($name));
        $names = [];
        foreach (Table::ALL['profiles'] as $row) {
            $own = array_merge((array) ($row['match'] ?? []), (array) ($row['aliases'] ?? []));
            foreach (array_merge($own, [$row['slug']]) as $one) {
                $names[] = [$one, $row['slug']];
            }
        }
        $slugs = [];
        foreach (Nearest::of((string) end($parts), array_column($names, 0)) as $near) {
            $known = array_search($near, array_column($names, 0), true);
            $slugs[$names[$known][1]] = true;
            if (count($slugs) === 3) {
                break;
            }
        }
        return array_keys($slugs);
    }
}
