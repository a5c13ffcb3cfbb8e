<?php

declare(strict_types=1);

namespace Toolwire\Plain;

/**
 * Writes the invisible characters of a text as marks such as `⟨U+202E⟩`.
 *
 * The sets of characters are those of the extension (tests/plain/tools compares them).
 */
final class Visible
{
    /** Characters without a glyph, and those that steer. */
    private const HIDDEN = ''
        . '\x{0}-\x{8}\x{B}-\x{1F}\x{7F}-\x{9F}\x{AD}\x{34F}\x{61C}\x{115F}-\x{1160}'
        . '\x{17B4}-\x{17B5}\x{180B}-\x{180F}\x{200B}-\x{200F}\x{2028}-\x{202E}'
        . '\x{2060}-\x{206F}\x{2800}\x{3164}\x{FDD0}-\x{FDEF}\x{FE00}-\x{FE0F}\x{FEFF}\x{FFA0}'
        . '\x{FFF0}-\x{FFFB}\x{FFFE}-\x{FFFF}\x{13430}-\x{1343F}\x{1BCA0}-\x{1BCA3}'
        . '\x{1D173}-\x{1D17A}\x{1FFFE}-\x{1FFFF}\x{2FFFE}-\x{2FFFF}\x{3FFFE}-\x{3FFFF}'
        . '\x{4FFFE}-\x{4FFFF}\x{5FFFE}-\x{5FFFF}\x{6FFFE}-\x{6FFFF}\x{7FFFE}-\x{7FFFF}'
        . '\x{8FFFE}-\x{8FFFF}\x{9FFFE}-\x{9FFFF}\x{AFFFE}-\x{AFFFF}\x{BFFFE}-\x{BFFFF}'
        . '\x{CFFFE}-\x{CFFFF}\x{DFFFE}-\x{E0FFF}\x{EFFFE}-\x{EFFFF}\x{FFFFE}-\x{FFFFF}'
        . '\x{10FFFE}-\x{10FFFF}';

    /** Extended pictographs, which emoji are made of. */
    private const PICTURES = ''
        . '\x{A9}\x{AE}\x{203C}\x{2049}\x{2122}\x{2139}\x{2194}-\x{2199}\x{21A9}-\x{21AA}'
        . '\x{231A}-\x{231B}\x{2328}\x{2388}\x{23CF}\x{23E9}-\x{23F3}\x{23F8}-\x{23FA}\x{24C2}'
        . '\x{25AA}-\x{25AB}\x{25B6}\x{25C0}\x{25FB}-\x{25FE}\x{2600}-\x{2605}\x{2607}-\x{2612}'
        . '\x{2614}-\x{2685}\x{2690}-\x{2705}\x{2708}-\x{2712}\x{2714}\x{2716}\x{271D}\x{2721}'
        . '\x{2728}\x{2733}-\x{2734}\x{2744}\x{2747}\x{274C}\x{274E}\x{2753}-\x{2755}\x{2757}'
        . '\x{2763}-\x{2767}\x{2795}-\x{2797}\x{27A1}\x{27B0}\x{27BF}\x{2934}-\x{2935}'
        . '\x{2B05}-\x{2B07}\x{2B1B}-\x{2B1C}\x{2B50}\x{2B55}\x{3030}\x{303D}\x{3297}\x{3299}'
        . '\x{1F000}-\x{1F0FF}\x{1F10D}-\x{1F10F}\x{1F12F}\x{1F16C}-\x{1F171}'
        . '\x{1F17E}-\x{1F17F}\x{1F18E}\x{1F191}-\x{1F19A}\x{1F1AD}-\x{1F1E5}'
        . '\x{1F201}-\x{1F20F}\x{1F21A}\x{1F22F}\x{1F232}-\x{1F23A}\x{1F23C}-\x{1F23F}'
        . '\x{1F249}-\x{1F3FA}\x{1F400}-\x{1F53D}\x{1F546}-\x{1F64F}\x{1F680}-\x{1F6FF}'
        . '\x{1F774}-\x{1F77F}\x{1F7D5}-\x{1F7FF}\x{1F80C}-\x{1F80F}\x{1F848}-\x{1F84F}'
        . '\x{1F85A}-\x{1F85F}\x{1F888}-\x{1F88F}\x{1F8AE}-\x{1F8FF}\x{1F90C}-\x{1F93A}'
        . '\x{1F93C}-\x{1F945}\x{1F947}-\x{1FAFF}\x{1FC00}-\x{1FFFD}';

    /** Skin tones. */
    private const TONES = ''
        . '\x{1F3FB}-\x{1F3FF}';

    /** Letters and vowel signs of scripts that use joiners inside words. */
    private const LETTERS = ''
        . '\x{600}-\x{604}\x{606}-\x{60B}\x{60D}-\x{61A}\x{61D}-\x{61E}\x{620}-\x{63F}'
        . '\x{641}-\x{64A}\x{656}-\x{66F}\x{671}-\x{6DC}\x{6DE}-\x{70D}\x{70F}-\x{74A}'
        . '\x{74D}-\x{77F}\x{7C0}-\x{7FA}\x{7FD}-\x{7FF}\x{860}-\x{86A}\x{870}-\x{88E}'
        . '\x{890}-\x{891}\x{897}-\x{8E1}\x{8E3}-\x{950}\x{955}-\x{963}\x{966}-\x{983}'
        . '\x{985}-\x{98C}\x{98F}-\x{990}\x{993}-\x{9A8}\x{9AA}-\x{9B0}\x{9B2}\x{9B6}-\x{9B9}'
        . '\x{9BC}-\x{9C4}\x{9C7}-\x{9C8}\x{9CB}-\x{9CE}\x{9D7}\x{9DC}-\x{9DD}\x{9DF}-\x{9E3}'
        . '\x{9E6}-\x{9FE}\x{A01}-\x{A03}\x{A05}-\x{A0A}\x{A0F}-\x{A10}\x{A13}-\x{A28}'
        . '\x{A2A}-\x{A30}\x{A32}-\x{A33}\x{A35}-\x{A36}\x{A38}-\x{A39}\x{A3C}\x{A3E}-\x{A42}'
        . '\x{A47}-\x{A48}\x{A4B}-\x{A4D}\x{A51}\x{A59}-\x{A5C}\x{A5E}\x{A66}-\x{A76}'
        . '\x{A81}-\x{A83}\x{A85}-\x{A8D}\x{A8F}-\x{A91}\x{A93}-\x{AA8}\x{AAA}-\x{AB0}'
        . '\x{AB2}-\x{AB3}\x{AB5}-\x{AB9}\x{ABC}-\x{AC5}\x{AC7}-\x{AC9}\x{ACB}-\x{ACD}\x{AD0}'
        . '\x{AE0}-\x{AE3}\x{AE6}-\x{AF1}\x{AF9}-\x{AFF}\x{B01}-\x{B03}\x{B05}-\x{B0C}'
        . '\x{B0F}-\x{B10}\x{B13}-\x{B28}\x{B2A}-\x{B30}\x{B32}-\x{B33}\x{B35}-\x{B39}'
        . '\x{B3C}-\x{B44}\x{B47}-\x{B48}\x{B4B}-\x{B4D}\x{B55}-\x{B57}\x{B5C}-\x{B5D}'
        . '\x{B5F}-\x{B63}\x{B66}-\x{B77}\x{B82}-\x{B83}\x{B85}-\x{B8A}\x{B8E}-\x{B90}'
        . '\x{B92}-\x{B95}\x{B99}-\x{B9A}\x{B9C}\x{B9E}-\x{B9F}\x{BA3}-\x{BA4}\x{BA8}-\x{BAA}'
        . '\x{BAE}-\x{BB9}\x{BBE}-\x{BC2}\x{BC6}-\x{BC8}\x{BCA}-\x{BCD}\x{BD0}\x{BD7}'
        . '\x{BE6}-\x{BFA}\x{C00}-\x{C0C}\x{C0E}-\x{C10}\x{C12}-\x{C28}\x{C2A}-\x{C39}'
        . '\x{C3C}-\x{C44}\x{C46}-\x{C48}\x{C4A}-\x{C4D}\x{C55}-\x{C56}\x{C58}-\x{C5A}\x{C5D}'
        . '\x{C60}-\x{C63}\x{C66}-\x{C6F}\x{C77}-\x{C8C}\x{C8E}-\x{C90}\x{C92}-\x{CA8}'
        . '\x{CAA}-\x{CB3}\x{CB5}-\x{CB9}\x{CBC}-\x{CC4}\x{CC6}-\x{CC8}\x{CCA}-\x{CCD}'
        . '\x{CD5}-\x{CD6}\x{CDD}-\x{CDE}\x{CE0}-\x{CE3}\x{CE6}-\x{CEF}\x{CF1}-\x{CF3}'
        . '\x{D00}-\x{D0C}\x{D0E}-\x{D10}\x{D12}-\x{D44}\x{D46}-\x{D48}\x{D4A}-\x{D4F}'
        . '\x{D54}-\x{D63}\x{D66}-\x{D7F}\x{D81}-\x{D83}\x{D85}-\x{D96}\x{D9A}-\x{DB1}'
        . '\x{DB3}-\x{DBB}\x{DBD}\x{DC0}-\x{DC6}\x{DCA}\x{DCF}-\x{DD4}\x{DD6}\x{DD8}-\x{DDF}'
        . '\x{DE6}-\x{DEF}\x{DF2}-\x{DF4}\x{1000}-\x{109F}\x{1780}-\x{17B3}\x{17B6}-\x{17DD}'
        . '\x{17E0}-\x{17E9}\x{17F0}-\x{17F9}\x{1800}-\x{1801}\x{1804}\x{1806}-\x{180A}'
        . '\x{1810}-\x{1819}\x{1820}-\x{1878}\x{1880}-\x{18AA}\x{19E0}-\x{19FF}'
        . '\x{A8E0}-\x{A8FF}\x{A9E0}-\x{A9FE}\x{AA60}-\x{AA7F}\x{FB50}-\x{FBC2}'
        . '\x{FBD3}-\x{FD3D}\x{FD40}-\x{FD8F}\x{FD92}-\x{FDC7}\x{FDCF}\x{FDF0}-\x{FDFF}'
        . '\x{FE70}-\x{FE74}\x{FE76}-\x{FEFC}\x{10E60}-\x{10E7E}\x{10EC2}-\x{10EC4}'
        . '\x{10EFC}-\x{10EFF}\x{111E1}-\x{111F4}\x{11660}-\x{1166C}\x{116D0}-\x{116E3}'
        . '\x{11B00}-\x{11B09}\x{11FC0}-\x{11FF1}\x{11FFF}\x{1EE00}-\x{1EE03}'
        . '\x{1EE05}-\x{1EE1F}\x{1EE21}-\x{1EE22}\x{1EE24}\x{1EE27}\x{1EE29}-\x{1EE32}'
        . '\x{1EE34}-\x{1EE37}\x{1EE39}\x{1EE3B}\x{1EE42}\x{1EE47}\x{1EE49}\x{1EE4B}'
        . '\x{1EE4D}-\x{1EE4F}\x{1EE51}-\x{1EE52}\x{1EE54}\x{1EE57}\x{1EE59}\x{1EE5B}\x{1EE5D}'
        . '\x{1EE5F}\x{1EE61}-\x{1EE62}\x{1EE64}\x{1EE67}-\x{1EE6A}\x{1EE6C}-\x{1EE72}'
        . '\x{1EE74}-\x{1EE77}\x{1EE79}-\x{1EE7C}\x{1EE7E}\x{1EE80}-\x{1EE89}'
        . '\x{1EE8B}-\x{1EE9B}\x{1EEA1}-\x{1EEA3}\x{1EEA5}-\x{1EEA9}\x{1EEAB}-\x{1EEBB}'
        . '\x{1EEF0}-\x{1EEF1}';

    /** The three flags that are sequences of tags. */
    private const FLAGS = '\x{1F3F4}\x{E0067}\x{E0062}(?:\x{E0065}\x{E006E}\x{E0067}'
        . '|\x{E0073}\x{E0063}\x{E0074}|\x{E0077}\x{E006C}\x{E0073})\x{E007F}';

    /** Valid UTF-8, a lone surrogate, or another byte. */
    private const PARTS = '/((?:[\x00-\x7F]++|[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]'
        . '|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}|\xED[\x80-\x9F][\x80-\xBF]'
        . '|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}'
        . '|\xF4[\x80-\x8F][\x80-\xBF]{2})++)|\xED[\xA0-\xBF][\x80-\xBF]|[\x80-\xFF]/';

    /** The text with marks; a byte that is not UTF-8 becomes a mark such as `⟨0xFF⟩`. */
    public static function text(string $text): string
    {
        if (preg_match('/[^\x20-\x7E\n\t]/', $text) !== 1) {
            return $text;
        }
        if (Utf8::isValid($text)) {
            return self::valid($text);
        }
        $shown = static function (array $found): string {
            return isset($found[1]) && $found[1] !== ''
                ? self::valid($found[1])
                : self::odd($found[0]);
        };
        return (string) preg_replace_callback(self::PARTS, $shown, $text);
    }

    /** The character class of what is invisible by itself, for an expression with `u`. */
    public static function hidden(): string
    {
        return self::HIDDEN;
    }

    private static function valid(string $text): string
    {
        if (preg_match('/[^\x20-\x7E\n\t]/', $text) !== 1) {
            return $text;
        }
        $sequences = '\r\n|[0-9#*]\x{FE0F}\x{20E3}|' . self::FLAGS
            . '|[' . self::PICTURES . '][\x{FE0E}\x{FE0F}' . self::TONES . ']?'
            . '(?:\x{200D}[' . self::PICTURES . '][\x{FE0F}' . self::TONES . ']?)*+'
            . '|[' . self::LETTERS . '](?:[\x{200C}\x{200D}][' . self::LETTERS . '])++';
        $mark = static function (array $found): string {
            return isset($found[1]) && $found[1] !== ''
                ? sprintf('⟨U+%04X⟩', Utf8::codePoint($found[1]))
                : $found[0];
        };
        $expression = "/$sequences|([" . self::HIDDEN . '])/u';
        $shown = preg_replace_callback($expression, $mark, $text);
        if ($shown === null) {
            $shown = preg_replace_callback('/([' . self::HIDDEN . '])/u', $mark, $text);
        }
        return (string) $shown;
    }

    /** The mark for a lone surrogate, or for a byte that is not UTF-8. */
    private static function odd(string $bytes): string
    {
        if (strlen($bytes) === 1) {
            return sprintf('⟨0x%02X⟩', ord($bytes));
        }
        $unit = 0xD000 | (ord($bytes[1]) & 0x3F) << 6 | ord($bytes[2]) & 0x3F;
        return $unit >= 0xDC80 && $unit <= 0xDCFF
            ? sprintf('⟨0x%02X⟩', $unit - 0xDC00)
            : sprintf('⟨U+%04X⟩', $unit);
    }
}
