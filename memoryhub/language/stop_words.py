"""Words too common to say what a text is about, in the languages the hub meets most."""

from __future__ import annotations

from collections import Counter

from memoryhub.language.word_lists import listed

_BY_LANGUAGE = {
    "en": """a about above after again all also am an and any are aren't as at be because been before being below
        between both but by can can't could couldn't did didn't do does doesn't doing don't down during each
        few for from further get got had hadn't has hasn't have haven't having he he'd he'll he's her here
        hers herself him himself his how i i'd i'll i'm i've if in into is isn't it it'd it'll it's its
        itself just let let's me more most my myself no nor not now of off on once only or other our ours
        ourselves out over own really same she she'd she'll she's should shouldn't so some such than that
        that's the their theirs them themselves then there there's these they they'd they'll they're they've
        this those through to too under until up us very was wasn't we we'd we'll we're we've were weren't
        what what's when where which while who who's whom why will with won't would wouldn't you you'd
        you'll you're you've your yours yourself yourselves""",
    "de": """aber als am an auch auf aus bei bin bis bist da das dass dein deine dem den der des dich die dir du
        ein eine einem einen einer es für hab habe haben hast hat ich ihr im in ist ja kann kein keine man
        mein meine mich mir mit nach nicht noch nur oder sehr sein seine sich sie sind so und uns unser von
        vor war was wenn wie wir wird zu zum zur""",
    "es": """al con como cuando de del desde donde el ella ellos en entre era es esa ese eso esta este esto están
        está estoy fue ha hace han hasta hay la las le les lo los me mi mis muy más nos o para pero por
        porque que qué se ser si sin sobre soy su sus también te tengo tiene tu un una uno y ya yo""",
    "fr": """ai au aux avec c'est ce ces cette dans de des du elle elles en est et eu il ils j'ai je l'ai la le
        les leur lui ma mais me mes moi mon ne nous on ou où par pas plus pour qu que qui sa se ses son sont
        suis sur ta te tes toi ton tu un une vous y été être""",
    "pt": """ao aos as até com como da das de dela dele do dos e ela ele eles em era essa esse está estou eu foi
        há isso isto já mais mas me meu meus minha minhas muito na nas no nos não o os ou para pela pelo por
        porque que quem se sem ser seu sou sua também tem tenho um uma você""",
    "it": """al alla anche che chi ci come con da dal de del della di e gli ha ho i il in io la le lo ma mi mia
        mio nel nella non o per perché più quando questo se si sono su sua suo ti tra tu un una uno è""",
}

LANGUAGE_WORDS = {language: frozenset(words.split()) for language, words in _BY_LANGUAGE.items()}
# Small words elsewhere, but full ones in English: a son, a war, a hat.
_FULL_IN_ENGLISH = listed("come con die era hat man mine pour sin son sur war")
STOP_WORDS = frozenset[str]().union(*LANGUAGE_WORDS.values()) - _FULL_IN_ENGLISH

_SHARED = {
    word for word, count in Counter(word for words in LANGUAGE_WORDS.values() for word in words).items() if count > 1
}
TELLING_WORDS = {language: words - _SHARED for language, words in LANGUAGE_WORDS.items()}
