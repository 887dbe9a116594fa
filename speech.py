"""Lets only harmless words into what a model reads about a kata before it calls it: observed text that instructs, imitates a role or a
call, or holds characters that nobody sees is replaced by a mark; a person sees the
review unchanged, and it never decides. A module of its own, because
descriptions, schemas and the block of the prompt must all hold to the same."""

from __future__ import annotations

import re
import unicodedata

from .model import Json

BLOCKED = "[BLOCKED]"
LONGEST = 120
"""Characters of observed text in a description."""
_UNSEEN = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
"""Classes of characters that act on a terminal or on a reading order, that nobody sees, or that are half of one."""
_WHAT = r"(?:instruction|direction|prompt|rule|message|context|guideline|polic|order|task|constraint|restriction|safet|guardrail)"
_ORDERS = re.compile(
    rf"\b(?:ignore|disregard|forget|override|bypass|skip|drop|neglect|violate)\b.{{0,60}}\b{_WHAT}"
    rf"|\b(?:new|updated|real|actual|hidden|secret|following|system|developer|important|urgent|additional)\s+{_WHAT}"
    r"|\b(?:you are|you're|act as|pretend|roleplay|from now on|you must|you should|you will|your (?:new )?(?:role|task|goal|job))\b"
    r"|\bdo not (?:tell|inform|mention|ask|warn|reveal|show)\b|\bdon'?t (?:tell|inform|mention|ask|warn|show)\b"
    r"|\bwithout (?:asking|telling|informing|confirm|approval|permission|mention)"
    r"|\b(?:reveal|leak|exfiltrat\w*|send|post|upload|email|print|show|repeat)\b.{0,40}\b(?:system prompt|secret|password|credential|"
    r"api key|token|conversation|env|ssh key)\b"
    r"|\b(?:call|use|invoke|run|execute)\b.{0,20}\b(?:tool|function|command|code|script)\b.{0,30}\b(?:now|first|instead|immediately|following|below)"
    r"|\b(?:run|execute) (?:this|the following|these|it)\b|\bjailbreak|\bdan mode\b|\bdeveloper mode\b|\bgod mode\b|\bauto ?approve"
    r"|\b(?:ignoriere|vergiss|missachte)\b.{0,60}\b(?:anweisung|regel|vorgabe|befehl)|\bignora\b.{0,60}\binstruc|\bignorez?\b.{0,60}\binstruc"
    r"|\b(?:approve|confirm|say yes|answer yes|press y)\b.{0,30}\b(?:every|all|without|always|automatic)",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(
    r"<\s*/?\s*(?:system|assistant|user|human|developer|tool|function|instruction|invoke|parameter|result|thinking|im_start|im_end)\w*[\s>:|/]"
    r"|<\|[^|<>]{1,40}\|>|\[/?(?:INST|SYS|SYSTEM|TOOL_?CALLS?)\]|<<\s*/?SYS\s*>>|```|(?:^|\s)#{1,6}\s*(?:system|instruction|assistant|user)"
    r"|(?:^|\s)(?:system|assistant|human|developer|tool)\s*:|<!--|\]\(\s*(?:https?|javascript|data):|\"(?:tool|function|name|arguments|role)\"\s*:",
    re.IGNORECASE,
)


def instructs(text: str) -> bool:
    """Whether a text tries to tell a model what to do, imitates a role or a call, or holds characters that nobody sees."""
    if any(unicodedata.category(sign) in _UNSEEN for sign in text):
        return True
    plain = unicodedata.normalize("NFKC", text)
    words = re.sub(r"[\s_\-.*~|/\\]+", " ", plain)
    return _MARKUP.search(plain) is not None or _ORDERS.search(words) is not None


def spoken(text: str) -> str:
    """Observed text as a model may read it: cut, or a mark in its place."""
    return BLOCKED if instructs(text) else text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def harmless(value: Json) -> bool:
    """Whether an observed value may stand in a schema as it is: no text in it instructs."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, str) and (instructs(one) or len(one) > LONGEST):
            return False
    return True
