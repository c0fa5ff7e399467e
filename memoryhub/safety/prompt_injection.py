"""Text that orders a bot or a model about, by words in context (seed 000's filter without its false alarms)."""

from __future__ import annotations

import re

from memoryhub.safety.chunks import NOT_INSIDE, parts
from memoryhub.safety.deobfuscation import readings

_MODEL = (
    r"(?:bot|assistant|ai|a\.i\.|llm|model|chat\s?gpt|gpt|claude|gemini|copilot|agent|chatbot|system|summari[sz]er)"
)
_RULES = (
    r"(?:instructions?(?: sets?)?|prompts?|rules?|guidelines?|polic(?:y|ies)|directives?"
    r"|restrictions?|safety|safeguards?"
    r"|anweisungen|richtlinien|regeln|instrucciones|instruções|istruzioni|consignes|règles|reglas|regole|regras)"
)
_START = (
    r"(?:^|[.!?:;,\n>–—-]\s*|\b(?:please|and|then|you (?:must|should|will|shall|have to|need to"
    r"|are to)|bots? (?:must|should|will|shall)|must|always|now|also|to|from now on|bitte|por favor),?\s+)"
)
_DROP = (
    r"(?:ignore|disregard|forget|bypass|override|overrule|neglect|skip|drop|dismiss|ignoriere?n?"
    r"|vergiss|vergessen|ignora[rz]?|olvida[r]?|ignore[rz]|oublie[rz]?|dimentica|esqueça|esquece"
    r"|ignorad)"
)
_SHOW = (
    r"(?:reveal|show|tell|print|repeat|output|display|leak|share|give|expose|dump|recite|send"
    r"|write out|verrate|zeige?|nenne|révèle[rz]?|montre[rz]?|muestra|revela|rivela|mostra|mostre"
    r"|revele)"
)
_ANSWER = (
    r"(?:answer|response|reply|replies|responses|output|summary|summaries|report|reports|review"
    r"|message|elucidation|code|codebase|code base|algorithm|implementation|solution|script"
    r"|application|program|project)"
)
_TALKED_TO = (
    r"(?:explain|describe|translate|write|draft|compose|provide|summari[sz]e|generate|rewrite"
    r"|break down|recommend|suggest|list|define|calculate|convert|classify|answer|respond|reply"
    r"|output|print|repeat|execute|decode|encode|reveal|ignore|disregard|pretend|develop|create"
    r"|design|outline|analy[sz]e|compare|identify|discuss|give|tell|show|act|imagine|simulate|solve"
    r"|evaluate|paraphrase|brainstorm|proofread|edit|correct|find|help|teach|guide)"
)

# These are nouns as well: "Show night is on Fridays.", "Help desk technician at Acme."
_NOUN = (
    r"(?:act|design|draft|edit|find|guide|help|list|output|answer|report|show)s?\s+(?!me\b|us\b|the\b|an?\b|my\b|your\b)"
    r"(?:[\w'-]+\s+){1,4}?(?:is|are|was|were|has|have|starts?|meets?|happens?|opens?|closes?|at|for|in)\b"
)

_TREAT = r"(?:mock|insult|ridicule|belittle|roast|obey|serve|praise|flatter|ignore|help|humiliate|shame|threaten)"

_SHAPES = (
    rf"\b{_DROP}\b[^.!?\n]{{0,30}}?\b(?:all|any|every|your|these|previous|prior|earlier|above|preceding"
    r"|system|safety|deine?|alle|tus|toutes?|todas?|tutte|las|les|le"
    rf"|as)\b[^.!?\n]{{0,25}}?\b{_RULES}\b",
    rf"\b{_DROP}\s+(?:the|those)\s+{_RULES}\s+(?:above|before|given|you\b)",
    rf"\b{_DROP}\s+(?:all\s+|any\s+)?(?:previous|prior|earlier|preceding|above)\b(?!\s+(?:e-?mail|typo"
    r"|quote|order|link|version|one))",
    rf"\b{_SHOW}\b[^.!?\n]{{0,30}}?\b(?:system|hidden|initial|secret|original|internal|your)\s+"
    r"(?:\w+\s+)?(?:prompt|instructions?|rules|message|guidelines)\b",
    rf"\b{_SHOW}\b[^.!?\n]{{0,30}}?\b(?:the (?:exact )?instructions|the words above|everything above"
    r"|any credentials|all (?:your )?(?:secrets|keys|credentials))\b",
    r"\brepeat the words above\b|\bwords above starting\b",
    r"\byou(?: a|'?)re now (?:an?|in|the|dan|free|un\w+|allowed|able|no longer|my)\b"
    r"|\bfrom now on\b(?!,? (?:i|we|he|she|they|my|our|their)\b)[^.!?\n]{0,20}\b(?:you|respond|reply|answer|call"
    r"|act|speak|write|talk|ignore|obey|say|refer|address|treat)\b|\bahora eres\b|\btu es maintenant\b"
    r"|\bdu bist jetzt\b",
    r"\b(?:act as|pretend (?:to be|you(?:'re| are))|roleplay as|behave as"
    r"|play the role of)\b[^.!?\n]{0,25}\b(?:uncensored|unrestricted|unfiltered|jailbroken|evil|dan\b"
    r"|ai\b|model|no (?:rules|limits|restrictions))",
    r"\b(?:developer|debug|god|admin|jailbreak|dan|sudo|unrestricted) mode\b(?=[^.!?]{0,40}\b(?:you"
    r"|on|enabled|activated|unlock))|\bdo anything now\b|\bjailbreak(?:s|ed|ing)?\s+(?:the"
    r"|this|yourself|bot|model|ai|it)\b",
    rf"\b(?:you|answer|respond|reply|dan|{_MODEL})\b[^.!?\n]{{0,60}}\b(?:without|no)\s+(?:any\s+"
    r"|content\s+)?(?:restrictions?"
    r"|limitations?|limits|filters?|content policy)\b|\b(?:sin|sans|ohne|senza|sem)\s+(?:restricciones|restrictions"
    r"|einschr(?:ä|ae)nkungen|restrizioni|restrições)\b|\bno content (?:policy|restrictions|filters?)\b",
    rf"{_START}(?:always|never)\s+(?:\w+\s+){{0,2}}?(?:reply|respond|output|answer|(?:call|refer to"
    r"|address|obey|trust"
    r"|believe|praise|insult|tell|give|listen to) (?:me|him|her|us|them|the|everyone|users?|mallory"
    r"|what)|comply|agree with"
    r"|say (?:that|yes|no|[\"“'])|mention|include|append|do what|follow (?:my|the|these))\b",
    rf"{_START}(?:call|address|refer to) (?:me|us) (?:as )?(?:master|king|queen|lord|god|daddy|sir"
    r"|boss|admin|owner|your)\b",
    r"\b(?:bots?|assistants?|ais?|the (?:model|ai|bot|assistant))\s+(?:must|should|shall|has to"
    r"|have to|needs? to|will (?:now|always))\b(?! (?:not )?be (?:added|approved|invited|kept|labell?ed|marked|muted"
    r"|posted|registered|tagged|used|verified)\b)",
    r"\b(?:note|message|instructions?|important|attention|notice|reminder)\b[^.!?\n]{0,20}?\b(?:to"
    rf"|for)\s+(?:the\s+|all\s+|any\s+)?(?:ai\s+)?(?:\w+ing\s+)?{_MODEL}s?\b",
    rf"\b(?:if|when|as|since) you(?:'re| are)? (?:an? |the )?{_MODEL}\b|\bwhen you (?:read|process"
    r"|summari[sz]e|see|review) (?:this|it|the following)\b",
    rf"(?:^|\n|[#\]>)]\s*)\s*(?:{_MODEL}|user|human|developer)\s*(?:update|override|note|message)?\s*:\s*\S",
    r"\b(?:system|nota di sistema|note syst[eè]me|systemnotiz|nota (?:del|do) sistema)\s*(?:update"
    r"|override|message|note)?\s*:",
    r"\b(?:important )?system (?:update|override|notice|message)\b|\boverride\s*:|#{2,}\s*end of|<\|?"
    r"(?:im_start|im_end|system|endoftext)\|?>|\[/?inst\]|\[\[|\]\]|</?(?:system|instructions?|prompt"
    r"|chat|memory|facts?)>",
    r"\b(?:call|use|run|invoke|execute)\s+(?:send|delete|remove|drop|write|forward|transfer|exec"
    r"|fetch|get|read|update|create)_[a-z_]+\b",
    r"\b(?:send|e-?mail|forward|exfiltrate|upload|post|envoie\w*|rassemble|schicke?|envía"
    r"|invia)\b[^.!?\n]{0,60}(?:\S+@\S+\.\w+|\bcustomer (?:list|data|emails)\b)",
    r"\b(?:append|add|include|insert|prepend|put|embed)\b[^.!?\n]{0,80}?\b(?:in|to|at|of|with|into"
    r"|within)\s+(?:the (?:end|start|beginning) of\s+)?(?:your|every|each|all)\s+"
    rf"(?:\w+\s+){{0,2}}?{_ANSWER}\b|\bat the (?:end|start|beginning) of (?:the|any) (?:reply|answer"
    r"|response|summary)\b",
    r"\b(?:in|to|of) (?:every|all|your) (?:future |next |subsequent )?(?:summar|repl"
    r"|response|answer|report you)",
    r"\b(?:toute réponse|ogni risposta|jede\w* antwort|cada respuesta|toda resposta)\b",
    r"\{canary\}|\b(?:canary|verification code|trace_id)\b[^.!?\n]{0,60}\b(?:include|append|summary"
    r"|reply)\b|\byour (?:real|true|new|actual) (?:task|goal|purpose|instructions?|role)\b"
    r"|\byou must include\b",
    r"\b(?:safety|security|content)[ -](?:guidelines?|checks?|protocols?|rules?|filters?|polic(?:y"
    r"|ies)|measures?)\b[^.!?\n]{0,40}\b(?:not (?:apply|meant)|disabled?|off|skip|ignor|bypass|do"
    r"(?:es)? ?n[o']t apply)|\b(?:skip|disable|bypass|turn off|ignore) (?:all |any |the )?(?:safety"
    r"|security|content)\b",
    r"\bsicherheitsrichtlinien\b[^.!?\n]{0,30}\bnicht\b|\breglas de seguridad no\b"
    r"|\bregras de segurança não\b|\brègles de sécurité ne\b",
    r"\bgrant (?:this|the|all|him|her|me|every|full|admin)\b|\b(?:comply fully"
    r"|proceed without asking|unrestricted response|restricted content)\b|\badmin (?:access|rights"
    r"|password)\b[^.!?\n]{0,20}(?::|\bto\b)",
    r"\b(?:every time|each time|any ?time|whenever|when|if)\b[^.!?\n]{1,40}\b(?:asks?|messages?|posts?|says?|speaks?"
    r"|talks?|writes?)\b[^.!?,\n]{0,20},\s*(?:always |please |just |you )?"
    rf"(?:{_TREAT}|answer|reply|respond|refuse|say|tell|call|be|use)\b",
    rf"\byou (?:should|must|have to|need to|will|are to) (?:always|never|only)\s+(?:{_TREAT}|answer|reply|respond|agree"
    r"|refuse|call|treat|speak|talk|say|tell)\b",
    rf"(?:^|[.!?:;\n]\s*)(?:always|never)\s+(?:{_TREAT})\s+\w",
    r"\bdecode\b[^.!?\n]{0,60}\b(?:do|follow|execute|obey|act)\b|\bdo (?:exactly )?what it says\b",
    r"\b(?:save|store|write|add|put)\b[^.!?\n]{0,30}\b(?:to|in|into) (?:your|the bot's|its) "
    r"(?:long-term |permanent )?memory\b|\b(?:please )?remember (?:this )?for all future\b",
    rf"^\W*(?:in your {_ANSWER},|please )?\s*(?:\w+\s+){{0,6}}?(?:letters?|vowels?|words?|spaces?"
    r"|typos|anagrams?|sentence|headline|tip|symbols?|reminder|reason"
    rf"|appeal)\b[^.!?\n]{{0,60}}\byour {_ANSWER}\b",
    rf"^\W*(?:in your {_ANSWER}\b|(?:please )?(?:modify|enhance|augment|render|provide|convert"
    r"|introduce|integrate|replace|use|remove|group|combine|rearrange|misspell|scramble|jumble"
    r"|anagram|substitute|change|alter|rewrite|format|begin|start|end|finish|ensure|limit|keep|make"
    rf"|let)\b[^.!?\n]{{0,80}}\byour {_ANSWER}\b)",
    r"\b(?:the )?(?:following|subsequent|below) code (?:block|snippet|section|excerpt)\b",
    r"^\W*(?:replace|misspell|scramble|swap|substitute) (?:\w+ ){0,3}(?:letters?|vowels?|words?|characters?)\b",
)
# What only names a model's inside: in a plain statement of somebody it orders nothing.
_NAMED = re.compile(
    r"\b(?:system[ -]?(?:prompt|anweisung\w*|instructions?)|prompt (?:de |di |do )?(?:syst[eè]m[ae]"
    r"|sistema)|(?:instructions|istruzioni|instrucciones|instruções) (?:di |de |do |del )?"
    r"(?:syst[eè]me|sistema)|(?:developer|god|dan|jailbreak) mode|exempt from)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"\W*(?:(?:i|we|my|our|their|they|he|she)\b(?! (?:am|are|is|was) (?:an? |the |your )?(?:admin|developer|owner"
    r"|system))|(?:(?:now|also|still|currently|recently|formerly|once) )*(?:is|was|has|had|wrote|built|ran|gave"
    r"|(?!pas|dis)\w+[^\W s]s|\w+ed)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.!?:;\n]+|,\s*(?:and|so|but|then)\b")
_INSTRUCTION = re.compile(
    f"{NOT_INSIDE}(?:{'|'.join(f'(?:{shape})' for shape in _SHAPES)})", re.IGNORECASE | re.MULTILINE
)
_CODE = re.compile(
    r"```|^[ \t]*(?:import \w[\w.]*(?:[ \t]*,[ \t]*\w[\w.]*)*(?: as \w+)?[ \t]*$|from [\w.]+ import )"
    r"|^[ \t]*(?:[\w.\[\]'\", ]{1,60} = )?(?:await )?\w+(?:\.\w+)+(?:\(|\[)|^[ \t]*[\w., ]{1,60} = \S"
    r"|^[ \t]*(?:async |with |for |while |def |class )\S.{0,200}:[ \t]*$",
    re.MULTILINE,
)
_REQUEST = re.compile(
    rf"^\W*(?:please |can you |could you |kindly )?(?!{_NOUN})(?:{_TALKED_TO})\s+(?!up\b)\w|\?\W*$|^\W*(?:what"
    r"|who)\b|^\W*(?:when"
    r"|where|why|how)(?:['’]s|['’]re| (?:is|are|do|does|did|was|were|can|could|should|would|will|to"
    r"|much|many|long))\b",
    re.IGNORECASE,
)


def carries_instruction(text: str) -> bool:
    """Say if `text`, in any reading, orders a bot or model about; the time it takes grows with the length only."""
    return any(_INSTRUCTION.search(part) or _names(part) for reading in readings(text) for part in parts(reading))


def _names(text: str) -> bool:
    clauses = _CLAUSE.split(text) if _NAMED.search(text) else []
    return any(_NAMED.search(clause) and not _STATEMENT.match(clause) for clause in clauses)


def is_code(text: str) -> bool:
    """Say if the text holds a piece of a program rather than words."""
    return bool(_CODE.search(text))


def is_request(text: str) -> bool:
    """Say if a text that should state a fact asks or orders instead: "What is ...?", "Explain ..."."""
    return bool(_REQUEST.search(text))
