"""Words of chat that say nothing of the matter, and words that stand before a noun or a verb."""

_CHATTER = """\
    absolutely actually agree agreed amazing awesome beautiful bet btw bye cheers congrats congratulations cool
    crazy cute definitely dude even ever exactly excited exciting fantastic feel feeling feels felt fun funny
    glad go goes going good gonna gotta great guess guy guys haha happy hear heard hello hey hi hope hopefully
    idk ikr imo incredible inspiring interesting interested keep kind know knows lmao lol look looking looks
    lots lot love loved lovely make makes making man maybe mean means much need needs nice nope oh ok okay one
    omg perfect please pretty probably proud rad right see seeing seems sound sounds stuff super sure sweet take
    taking tell thank thanks thing things think thinking thought totally true try trying ty unbelievable
    understand wait wanna want wants way well wonderful worries wow yea yeah yep yes yo yup"""
_NOT_A_MATTER = """\
    april august december february friday january july june march may monday november october saturday september
    sunday thursday tuesday wednesday afternoon evening morning night today tomorrow tonight yesterday ago day
    days hour hours later minute minutes month months moment moments now soon time times week weekend weekends
    weeks year years able add advice adventure amount anyone anything appreciate attitude awesomeness back bad
    beauty believe best better big bit care challenge challenges chance change changes chat close come comes
    comfort connection couple difference difficult dream dreams easy effort efforts else encouragement enjoy
    enjoyed enjoying everyone everything experience experiences fact favorite favorites favourite favourites fav
    feelings fine finding first follow form forward found free fresh friend friends friendship full getting give
    given gives giving goal goals gone got hand hang happen happened happiness hard hardwork heart help helped
    helpful helping helps high hope huge idea ideas important impact impressive inspiration inspire inspired
    insta journey joy last late learned learning leave left less let life like little live living long lucky
    made matter meaningful memories memory mind motivation motivated name new next nothing number old open
    others part parts passion path peace peaceful people perspective person photo photos pic pics picture
    pictures place places plan plans point positive positivity power powerful progress purpose question
    questions quick reading reason relax remember rest run said same say saying says second self sense set share
    shared sharing short show showed side sign small smile someone something sort spend spending spent start
    started starting step steps stay staying story strength strong struggles stuff success successful supporting
    supportive considering talk talking talked tasty team thoughts tip tips together top touch tough truth turn
    turned update use used using value vibe vibes view views wish wonder word words work worked working works
    world worth writing young instead past proper guts blast ride lately recently afterward another guess gave
    every since both each died almost always special away spot doubt ton tons brings whole came coming"""
_BEFORE_NOUN = """\
    a an the my our your his her their this that these those some any no another every each of for in on at with
    about from into over new"""
_BEFORE_VERB = """\
    i you he she it we they who to can could will would shall should may might must do does did don't didn't
    doesn't won't can't couldn't let's i'll we'll you'll they'll i'd we'd you'd gonna wanna gotta please just
    always never really"""

CHATTER = frozenset(_CHATTER.split())
NOT_A_MATTER = frozenset(_NOT_A_MATTER.split())
BEFORE_NOUN = frozenset(_BEFORE_NOUN.split())
BEFORE_VERB = frozenset(_BEFORE_VERB.split())
