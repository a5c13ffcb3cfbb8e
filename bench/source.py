"""Random choices for the texts of the benchmarks, and sentences as assistants write them.

The choices are the same in every version of Python: only `random.random` promises that.
"""

import random
from collections.abc import Callable, Sequence

THINGS = (
    """
membership level|coupon code|checkout page|renewal reminder|payment gateway|e-mail template
access rule|transaction log|custom post type|featured image|navigation menu|landing page
subscription|trial period|cron job|REST endpoint|cache plugin|child theme|media library
contact form|pricing table|sign-up form|product category|redirect|site map|backup|database table
user role|invoice|webhook|shortcode|block pattern|widget area|translation file|SSL certificate
one-time payment|long-term plan|drop-down menu|contact button|search index|staging site
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
ADJECTIVES = """
monthly yearly expired new old public private broken duplicate custom default featured outdated
unused slow hidden primary temporary top-level automatic up-to-date third-party built-in
well-known
""".split()
VERBS = "update disable rename review restore export schedule duplicate hide test migrate".split()
DONE = "updated disabled renamed reviewed restored exported scheduled hidden tested".split()
PEOPLE = "Anna|Björn|Chloé|Dr. Okafor|the editor|your developer|José|the support team".split("|")
PLACES = (
    """
Settings → Permalinks|MemberPress > Coupons|the Tools menu|Appearance → Menus|the Users screen
the plugin's settings|wp-content/uploads|the Site Health page|the dashboard|the error log
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
REASONS = (
    """
it was last changed in {year}|nobody has used it for {number} days|two plugins write to it
the host limits each request to {small} seconds|its price differs from the one on the page
members can't see it|the theme overrides it|it isn't linked from anywhere|search engines index it
it runs on every request (about {number} ms)|the key expires on {month} {day}
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
MONTHS = "January February March April May June July September October December".split()
SENTENCES = """
The {thing} is {adjective}, so I would {verb} it before you {verb} the {thing}.
I've {done} {small} of {number} {adjective} {thing}s; the rest need your approval.
Because {reason}, the {adjective} {thing} should be {done} first.
Would you like me to {verb} the {thing} as well?
You can {verb} every {thing} under {place}, but {person} has to confirm it.
{person} {done} the {thing} on {month} {day}, {year}, and {reason}.
That is {percent} % more than in {month} ({money} instead of {money}).
Note: {reason} — that's why the "{thing}" looks {adjective}.
If the {thing} stays {adjective}, {verb} it; otherwise, leave the {thing} as it is.
There are {number} {thing}s: {small} {adjective}, {small} {adjective}, and the others {done}.
In short, {verb} the {adjective} {thing}, then check {place}.
Your {thing} was {done} at {hour}:{minute}; it's {adjective} now & shown to {number} members.
Don't {verb} the {thing} yet, since {reason}.
Most visitors ({percent} %) never reach the {adjective} {thing}, which costs about {money} a month.
As {person} wrote: “The {thing} is {adjective}, please {verb} it.”
{month} had {number} sign-ups and {small} refunds, i.e. a rate of {percent} %.
It's safe to {verb} the {thing}: {reason}, and a copy is kept for {small} days.
Open {place}, choose the {adjective} {thing}, and press “Save changes”.
When x < {small} or y > {number}, the {thing} counts as {adjective} (see note {small}).
""".strip().splitlines()
CHINESE = "会员 页面 更新 插件 设置 订单 优惠券 您的 网站 已经 完成 请 检查 邮件 模板 支付".split()


class Source:
    """Random choices, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random
        self.slots: dict[str, Callable[[], str]] = {
            "thing": lambda: self.of(THINGS),
            "adjective": lambda: self.of(ADJECTIVES),
            "verb": lambda: self.of(VERBS),
            "done": lambda: self.of(DONE),
            "person": lambda: self.of(PEOPLE),
            "place": lambda: self.of(PLACES),
            "reason": lambda: self.filled(self.of(REASONS)),
            "month": lambda: self.of(MONTHS),
            "number": lambda: str(10 + self.below(4990)),
            "small": lambda: str(2 + self.below(60)),
            "percent": lambda: f"{self.below(1000) / 10}",
            "money": lambda: f"${self.below(2000)}.{self.below(90) + 10}",
            "day": lambda: str(1 + self.below(28)),
            "year": lambda: str(2019 + self.below(8)),
            "hour": lambda: str(self.below(24)),
            "minute": lambda: str(10 + self.below(50)),
        }

    def below(self, limit: int) -> int:
        return int(self.random() * limit)

    def of(self, choices: Sequence[str]) -> str:
        return choices[self.below(len(choices))]

    def filled(self, template: str) -> str:
        """Put a random choice in the place of each {slot}."""
        text = []
        for number, part in enumerate(template.replace("}", "{").split("{")):
            text.append(self.slots[part]() if number % 2 else part)
        return "".join(text)

    def word(self) -> str:
        """Give one word in small letters, as identifiers have them."""
        return "".join(filter(str.isalpha, self.of(THINGS).split()[0].lower()))

    def sentence(self) -> str:
        sentence = self.filled(self.of(SENTENCES))
        return sentence[0].upper() + sentence[1:]

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(2 + self.below(4)))

    def chinese(self) -> str:
        """Make a sentence in Chinese, whose characters take three bytes each."""
        words = [self.of(CHINESE) for _ in range(6 + self.below(8))]
        words[len(words) // 2] += ","
        return "".join(words) + "。"
