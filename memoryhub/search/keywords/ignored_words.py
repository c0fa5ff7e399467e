"""Words too common to look for, in the languages that chats are mostly in; folded as `plain` folds."""

from __future__ import annotations

# Left out on purpose: words of one language that tell something in another (son, die, war, hat, fin, sin, pour, main).
LISTS = {
    "en": """a about after again all also am an and any anyone anything are aren as at be because been before being
        both but by can could couldn d did didn do does doesn doing don during each else ever every few
        for from further get gets getting go goes got had hadn has hasn have haven having he her here
        hers herself him himself his how i if in into is isn it its itself just let ll m made make me
        might more most much must my myself no nor not now of off on once only or other our ours
        ourselves out over own re s same shall she should shouldn so some someone something such t than
        that the their theirs them themselves then there these they this those through to too under until
        up upon us ve very was wasn we were weren what whatever when where which while who whom whose why
        will with won would wouldn yet you your yours yourself""",
    "es": """al algo algun alguna como con cual cuales cuando cuanto de del desde donde el ella ellas ellos en entre
        era es esa ese eso esta estaba estan estas este esto estos estoy fue ha han hay la las le les lo
        los mas mi mis muy nos o para pero por porque que quien se ser si sobre su sus tambien te tiene
        todo tu tus un una uno y ya yo""",
    "de": """aber als am auch auf aus bei bin bis bist da das dass dein dem den der des dich dir du ein eine einem
        einen einer er es euch fur haben habe hast hatte ich ihm ihn ihr im ist ja kann mein mich mir mit
        nach nicht noch nur oder ohne sehr sein sich sie sind uber um und uns vom von wann warum was wem
        wen wenn wer werden wie wir wird wo zu zum zur""",
    "fr": """au aux avec c ce ces cet cette comme d dans de des du elle elles en est et etait ete etre eux il ils j je
        l la le les leur leurs lui ma mais mes moi mon n ne nos notre nous on ont ou par pas plus qu
        quand que quel quelle qui quoi sa se ses si sont sur ta te tes toi ton tu un une vos votre vous y""",
    "pt": """ao aos as com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta este eu foi
        ha isso isto ja lhe mais mas me mesmo meu minha muito na nao nas nem no nos num numa o onde os ou
        para pela pelo por porque qual quando que quem sao se sem ser seu seus sua suas tambem te tem um
        uma voce""",
    "nl": """aan al als bij dan dat de der deze die dit door een en er geen haar heb hebben heeft hem het hij hoe hun
        ik in is je jij kan maar meer met mijn naar niet nog nu of om onder ons ook op over te tot uit
        van veel voor waar waarom wat we wel werd wie wij ze zich zij zijn""",
    "it": """agli ai al alla alle anche che chi ci come con da dal dalla dei del della delle di dove e ed gli ha hai
        hanno ho i il io la le lei lo loro lui ma mi mia mio ne nei nel nella noi non o perche per piu
        quale quando quella quello questa questo se sei si sono sua sul sulla suo ti tu un una uno vi voi""",
}

STOP_WORDS = frozenset(word for words in LISTS.values() for word in words.split()) - {"die"}
