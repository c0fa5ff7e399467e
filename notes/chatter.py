"""Words of chat that say nothing of the matter, and words that stand before a noun."""

_CHATTER = """\
    absolutely actually agree agreed amazing awesome beautiful bet btw bye cheers congrats congratulations cool
    definitely even ever exactly excited fantastic feel feeling fun glad go goes going gonna good great guess guy
    guys haha happy hear heard hello hey hi hope idk ikr imo incredible inspiring interesting keep kind know lmao
    lol look looks lot lots love lovely make makes maybe mean much need nice nope oh ok okay one please pretty proud
    right see seems sound sounds stuff super support sure take tell thank thanks thing things think thought totally
    true try ty unbelievable understand wait want way well wonderful wow yea yeah yep yes yo yup"""
_NOT_A_MATTER = """\
    afternoon ago anyone anything april august best better big bit couple day days december evening everyone
    everything february find first found friday friend friends give hard hour hours january july june last later
    little lots made making march may minute minutes monday month months morning new next night nothing november now
    october old people person same saturday second september someone something soon start started sunday sure
    thursday time times today tomorrow tonight tuesday way ways wednesday week weekend weeks work working year years
    yesterday"""
_BEFORE_NOUN = """\
    a an the my our your his her their this that these those some any no another every of for in on at with about from
    new"""

CHATTER = frozenset(_CHATTER.split())
NOT_A_MATTER = frozenset(_NOT_A_MATTER.split())
BEFORE_NOUN = frozenset(_BEFORE_NOUN.split())
