"""Pairs said 40 days apart: what the second ends of the first, end to end, and what it must leave alone."""

from datetime import UTC, datetime, timedelta

from memory import rules
from memory.facts.normalization import normalize, sentence
from memory.facts.schemas import ConsolidationInput, ExtractionInput, KnownFact
from memory.learning import faithfulness, validation
from memoryhub.ai.chat_fence import Line

THEN = datetime(2026, 2, 23, 18, 0, tzinfo=UTC)
ENDS = """\
I play the cello in a small orchestra / I used to play the cello
I play the cello in a small orchestra / I don't play the cello anymore
I'm scared of flying / flying doesn't scare me anymore after that course
I'm learning Finnish / I dropped Finnish, too many cases
I share a flat with Petra / Petra moved out, I've got it to myself
I have a motorbike, a Honda / someone bought my Honda on saturday, a bit sad
I drive a Volvo / the Volvo is gone
I have a cat named Biscuit / Biscuit passed away last night
My dog is called Rollo / we had to put Rollo down yesterday
I'm dating Ines / Ines and I broke up
I'm studying biology in Ghent / I graduated last week!
I'm planning a trip to Iceland / the Iceland trip is cancelled
I work as a nurse / I quit nursing, I'm opening a bakery in May
I have two kids / our third kid was born on Friday
I'm getting married in June / we moved the wedding to September
I have a hamster named Baxter / I meant Dexter, not Baxter
I run every morning / I don't run anymore, my knee gave out
I'm vegan / I'm not vegan anymore, it got too hard with my job
I'm afraid of flying / I'm no longer afraid of flying, that course worked
I work at a bank / I left the bank because the hours were awful
I play in a band called Moss / I left Moss in May
I live in Tampere / no longer in Tampere btw, moved to Joensuu
I drive an old Volvo / Sold the Volvo to my cousin
I have a boyfriend named Max / Max and I split up
I'm married to Tom / Tom and I got divorced last spring
I have a goldfish named Bubbles / Bubbles died :(
I'm training for the Ghent marathon / I ran the Ghent marathon yesterday!
I'm learning the cello / I gave up the cello, no time
I'm looking for a flat in Lyon / we found a flat in Lyon
I'm an intern at Nokia / I got promoted to engineer at Nokia!
I smoke / I quit smoking two weeks ago, finally
I live with my parents / I moved into my own flat, it's tiny
I study law at Leiden / I dropped out of Leiden because of the costs
I'm single / I started dating Noor, she is lovely
I own a motorbike / my motorbike was stolen last night
I teach at a primary school / I retired from teaching in July
I use Notion for everything / I switched from Notion to paper
I want to adopt a greyhound / we adopted a greyhound called Fig!
I'm writing a novel / I finished the novel, all 400 pages of it
My favourite band is Placebo / my favourite band is Interpol now
I'm 29 years old / I turned 30 yesterday
My name is Maxime / it's Maxine actually, not Maxime
I volunteer at the animal shelter / I stopped volunteering at the shelter since I moved
I love coffee / I can't stand coffee anymore
I'm engaged to Lea / Lea and I got married on Saturday
I'm saving up for a camper van / I bought the camper van at last!
ich wohne in Köln / ich wohne nicht mehr in Köln
j'habite à Lyon / je n'habite plus à Lyon
mi perra se llama Luna / Luna murió ayer
je suis végétarienne / je ne suis plus végétarienne
estudo biologia / larguei a biologia
I'm moving to Vienna in the autumn / Vienna fell through, we're staying here
I use Notion for my notes / dropped Notion, everything is in Obsidian now
I use Vim for everything / moved from Vim to Helix, not going back
I use Python 3.9 at home / upgraded to Python 3.12 finally
I use an iPhone / I traded my iPhone for a Pixel
I'm based in Toronto / relocated to Halifax in April, the sea is great
I live in Cork / I don't live in Cork anymore, too expensive
I work the night shift at the bakery / I'm on day shifts since last week
I work four days a week / back to five days a week since Monday
I go to bed at nine / I go to bed at midnight these days
my pronouns are she/her / my pronouns are they/them now
I main a paladin / I main a bard now
I have a gym membership / I cancelled my gym membership
I'm an intern at a radio station / my internship ended on Friday
I play bass in a punk band / our band split up
I drive an old Golf / my Golf broke down for good, bought a used Skoda
I have a bike, a blue Peugeot / my bike got stolen
I run a small podcast about maps / I ended the podcast after 80 episodes
I'm the guild's raid leader / Tomo is the raid leader now, I handed it over
our wedding is on the 3rd of June / we moved the wedding to September
I foster a kitten called Bibi / Bibi found a forever home yesterday
I'm saving for a piano / the piano arrived today!
I work as a line cook at a hotel / handed in my apron for good, I'm a postman now
I speak no Spanish at all / my Spanish is quite good now, I speak it at work
my favourite band is Low / these days my favourite band is Big Thief
I work as a developer at a bank / I was made redundant last week
I teach German at a night school / my contract at the night school wasn't renewed
I'm dating Milo / it's over between me and Milo
I work at Aldi in the mornings / handed in my notice at Aldi today!
I'm going out with Marek / me and Marek are over btw
I work for Zalando / Zalando let me go this morning
I play in a ska band called Trilby / Trilby broke up after the last gig
I play bass in a band called The Wet Socks / The Wet Socks broke up in May
I'm moving to Dresden in June / I moved to Dresden on Monday already
I own a food truck / food truck's sold, new owner drives it to Kassel
I rent a garage on Mill Road / gave notice on the garage
I'm moving to Bergen in May / change of plan, Bergen is off
I'm married / the divorce came through today
I'm treasurer of the chess club / somebody else is treasurer of the chess club now
I'm learning Welsh / Welsh didn't stick, I've stopped
We have one child / our second arrived on saturday, a boy
We have two kids / number three was born on Monday, a girl
My boss is called Tan / Tan left, the new one is called Ros
I have a girlfriend / I got dumped on Sunday
I'm married, three years now / my husband moved out, we're separated now
we have six hens / fox came by, we're down to four hens
I smoke since I was 17 / day 20 without cigarettes
I quit smoking in January / I'm smoking again, exams
I study history in Ghent / I changed my course to law
I live in Antwerp / greetings from my new flat in Ghent
I'm a mod on the cooking server / I gave my mod hat back
I work nights at the hospital / my night shifts are over, on days since Monday
our band practice is on Tuesdays / band practice is on Mondays now
I play badminton every Thursday / haven't played badminton since my shoulder op
I drive a Corsa / passed the Corsa on to my sister
I'm a receptionist at a dental office / I got the sack on Thursday
I'm a lifeguard at the town pool / packed in the lifeguard job
I have a boyfriend / single again, since Friday
we have three goats / two kids born today, that makes five goats
I'm vegan / back to eating cheese, sorry cows
I'm applying to Delft / Delft turned me down
I major in biology / swapped biology for geology
I live in Bath / new address: Exeter, boxes everywhere
I rent a room in Lyon / gave up the room in Lyon
I run the book club / Femke takes over the book club from me
I'm on early shifts / they put me on late shifts
I go bouldering twice a week / haven't been bouldering in a year
I play bass in a band called Rust Harbor / Rust Harbor is over, we played our last show on Friday
I work as a barista at Café Lomi / yesterday was my last day at Café Lomi
I have two guinea pigs / we adopted another guinea pig, so now I have three
My favourite game is Stardew Valley / my new favourite game is Hades
I run the Monday chess club / I handed the chess club over to Marta
I have a piano at home / I gave the piano to my niece
I use Vim for everything / I've replaced Vim with Zed
I work as a baker in Ghent / so the bakery closed its doors for good, I'm a postman these days
I live in Gothenburg with my brother / we've moved to Malmö last weekend, boxes everywhere
I have a parrot called Kiwi / Kiwi flew away in March and never came back
I jog every morning before work / haven't gone jogging since last summer tbh
I'm dating a guy named Piotr / Piotr and I aren't together anymore
I share a flat with Dario / Dario moved to Berlin so I have the flat for myself
I do pottery every Tuesday / gave up pottery, the studio got too expensive
I'm planning to move to Portugal next year / we're not moving to Portugal after all
I'm saving up for an electric bike / got my electric bike today, it's so fast
I use a Windows laptop for work / I got rid of the Windows laptop, on a Mac now
I drink energy drinks every day / I've been off energy drinks for three months now
I'm 34 years old / I turned 35 on Sunday
I study chemistry in Graz / I finished my chemistry degree last month!
I'm learning Japanese with an app / I quit Japanese, kanji broke me
I have a gym membership at Basic Fit / my gym membership ran out and I'm not renewing it
I drive a Fiat Panda / traded the Panda in for a Dacia
my favourite game is Factorio / my favourite game right now is Balatro
I work nights at a warehouse / no more night shifts for me, I'm on days at the warehouse now
ich arbeite als Krankenschwester in Bonn / ich arbeite nicht mehr als Krankenschwester
I live in Bergen with two flatmates / left Bergen for good on sunday, hello Stavanger
I have a tortoise called Hank / Hank didn't make it through hibernation
I'm in a choir called Nordlys / not singing with Nordlys anymore
I'm dating Kasper / Kasper left me
I drive a Skoda Octavia / my Skoda got written off last night
I study architecture in Delft / done with architecture school, handed in my thesis on friday
I'm an apprentice carpenter / I'm a fully qualified carpenter as of today
I'm engaged to Priya / Priya and I called off the engagement
I smoke a pack a day / haven't smoked since new year
I rent a flat in Leith / we bought a house so the flat in Leith is history
My favourite colour is green / favourite colour is purple these days
I'm the treasurer of our rowing club / stepped down as treasurer of the rowing club
I don't have a driving licence / passed my driving test!!
I'm looking for a job / I found a job! starting monday at the library
I live with my girlfriend / my girlfriend moved out last month
I hate mushrooms / I actually like mushrooms now
I work part time / I'm full time now
I run a stall at the saturday market / closed my market stall for good
ich spiele Geige / ich spiele keine Geige mehr
vivo en Granada / me mudé a Málaga la semana pasada
I have a budgie named Coco / Coco flew out of the window and is gone
I have a motor scooter / my scooter finally gave up, scrapyard now
I go to boxing on tuesdays / swapped boxing for yoga
I have a boyfriend called Luis / Luis and me are done
I'm single / met someone, we're official since sunday
I'm learning to drive / got my licence yesterday
I study nursing in Turin / finished nursing school, first shift on monday
I'm on maternity leave / back at work since monday
I play in an orchestra / left the orchestra in spring
I use Windows at home / wiped Windows, running Fedora
I'm vegan / I eat fish again
I want to move to Canada / changed my mind about Canada
I hate olives / turns out I love olives
I wear glasses / got laser surgery, no more glasses
I'm in ninth grade / I'm in tenth grade now
"""
STANDS = """\
I run a flower shop in Ghent / the shop is closed on Monday
I volunteer at the food bank / the food bank is closed over easter
My boss is called Tan / Tan left early today
I host a quiz on Tuesdays / the quiz is off tonight, sorry
I own a food truck / the food truck next to ours is sold
We have one child / my sister's second arrived on saturday
I work for Zalando / Zalando let my colleague go this morning
I play the cello in a small orchestra / my brother used to play the cello
I play the cello in a small orchestra / she no longer plays the cello
I play chess with Tom / Tom used to play chess
I work at a nursery school as a cook / I no longer work weekends
I drink four coffees a day / no more coffee in the house until Monday
I drink four coffees a day / not drinking coffee today
I play the cello in a small orchestra / I almost gave up the cello
I live in Gdansk with my aunt / my brother doesn't live in Gdansk anymore
I'm learning Finnish / I dropped my Finnish book in the bath
I run a small café in Graz / the café is closed on Mondays now
I have a motorbike, a Honda / my cousin sold his Honda
I have a cat named Biscuit / my neighbour's cat passed away
I have a cat named Biscuit / Biscuit was so naughty that I nearly died
I have a dog named Rollo / if we had to put Rollo down I'd cry for weeks
I'm dating Ines / Ines and I broke up a fight at the bar
I'm studying biology in Ghent / my brother graduated last week
I'm planning a trip to Iceland / the train to Denmark is cancelled
I have two kids / my sister's third kid was born on Friday
I work as a nurse / I bake bread at weekends
I live in Tampere / I was in Joensuu last week
I drive an old Volvo / I sold my bike to my cousin
I play in a band called Moss / I left early on Friday
I run every morning / I don't run in the rain
I'm vegan / I'm not vegan because of animals but for the climate
I love coffee / I can't stand instant coffee
I have a dog named Pip / I got a cat named Miso
I work at a bank / I have a side job at a bar
I have a boyfriend named Max / Max and I split the bill
I'm married to Tom / my parents got divorced in spring
I'm learning the cello / I gave up my seat on the bus
I smoke / imagine I quit smoking
I own a motorbike / my phone was stolen last night
I have a goldfish named Bubbles / in my dream Bubbles died
I'm writing a novel / I finished the report for school
I teach at a primary school / my dad retired from teaching
I teach yoga / I stopped teaching for today, tired
I own a bakery / closed the bakery for the day
I have a bike / my old bike from school was sold years ago
I have an orchard / sold some plums from my orchard
I live in Zagreb / I moved from Vim to Helix
I work four days a week / I go running five days a week
I work as a nurse / I'm a runner now
I have a dog named Otto / my neighbour's dog died, poor thing
I'm vegan / my sister isn't vegan anymore
I use Firefox at home / at work I use Chrome
I play in a choir called Alto / our match fell through
My favourite band is Placebo / my favourite song is Yellow
I'm engaged to Lea / Lea and I got married in the game lol /s
I live in Lyon / my sister no longer lives in Lyon
I volunteer at the animal shelter / I stopped at the shelter on my way home
I work at a bakery / they let me go early today
I'm dating Milo / Milo and I are over at my mum's
we have six hens / down to the last bag of feed for the hens
I drink three coffees a day / day 3 without coffee, send help
I live in Antwerp / greetings from Rome, back on Sunday
I drive a Corsa / passed a Corsa on the motorway, same colour as mine
I'm a mod on the cooking server / gave a new mod the tour
I play badminton every Thursday / haven't played badminton since Thursday
I study history in Ghent / changed my course project to one on canals
I work nights at the hospital / last night shift was awful
I work for a moving company / the company moved our date
I have a boyfriend / my cousin is single again
we have three goats / that makes three of us
I'm vegan / back to eating lunch at my desk
I don't drink / had a few friends over again
I live in Bath / new address for the meetup: Mill Lane 4
I run the book club / Femke takes notes for the book club tonight
I'm on early shifts / put me on the list for the raid
I go bouldering twice a week / haven't been bouldering this week
I have a Kindle / left my Kindle at home today
I play chess with Bram / Bram and I are done for today
I work at a club / they let me go backstage
Stopped smoking last year / I'm smoking a brisket again
I use Arch on my laptop / I moved from bash to fish on Arch
I have two guinea pigs / I gave away the old guinea pig cage
I run the Monday chess club / the chess club is over for today
I go to the chess club in Leeds / last night at the chess club was long
I love Rome / yesterday was my last day in Rome
I have a sister named Ana / I let my subscription with Ana run out
I have a laptop / I gave my laptop to the shop to fix
I use Vim for everything / I've replaced my Vim theme with gruvbox
I drive a van / swapped the van for the day with Tom
I work at a bakery / Friday will be my last day at the bakery
I work as a locksmith in Porto / lol imagine if I quit being a locksmith and became a pirate
I have a dog called Muffin / my aunt's dog Waffle died last week
I smoke ten cigarettes a day / no smoking for me today, sore throat
I'm learning Korean / dropped my Korean textbook in the lake
I'm vegan / if the cheese here gets any better I won't be vegan anymore
I have two sons / my brother's third son was born on Monday
I work at a library / the library is closed on Mondays in winter
I live in Bilbao / moved my plants to the balcony for the summer
I love horror movies / I hated the horror movie we saw yesterday
I'm studying law in Leuven / my roommate dropped out of law
I'm single / my best friend is engaged!
I'm a nurse / "I quit being a nurse" said my colleague, and I nearly cried
I have a cat named Olive / I can't stand olive oil anymore
my favourite band is Sigur Rós / my favourite album this year is by Low
I'm dating Ines / Ines and I broke up in May but we're back together
I have a cat named Biscuit / we lost Biscuit for a night, found him in the shed
I have a parrot called Kiwi / Kiwi flew away with my toast
I have a coffee machine at my desk / our coffee ran out and nobody bought any
I drink coffee every morning / I'm off coffee today
I play volleyball on Sundays / I've been off volleyball for two weeks
I have a brother named Dario / Dario moved to Berlin
I live in Tampere / moved my desk to the window in Tampere
I study physics in Graz / I finished my physics homework at last
I jog every morning before work / haven't gone jogging this week
my favourite game is Factorio / my favourite map right now is Vulcanus
I work as a baker in Ghent / I'm a regular at the bakery these days
I run a shop in Cork / my shop card ran out yesterday
I drink energy drinks every day / day off energy drinks
I have a dog named Rollo / Rollo ran away and came back an hour later
I have a budgie named Coco / Coco flew around the room and is tired
I have a motor scooter / my brother gave up his scooter
I live in Lille / unpacked my bag, back from Nantes
I'm single / met someone from work at the gym
I'm learning to drive / got my library card yesterday
I study nursing in Turin / finished my nursing homework
I have two cats / just one cat video left
I'm on maternity leave / back to the doctor tomorrow
I'm the captain of our quiz team / Nora is tired now
I use Windows at home / cleaned the windows at home
I'm vegan / my dog eats fish again
I want to move to Canada / changed my mind about the sofa
I wear glasses / no more glasses of wine for me tonight
I'm in ninth grade / my sister is in tenth grade
I drink oat milk / oat milk is on sale
I play in an orchestra / left my score at the orchestra
I live in Bergen with two flatmates / my parents left Bergen in 1990
I have a tortoise called Hank / Hank is asleep, hibernation time
I'm in a choir called Nordlys / Nordlys rehearsal is cancelled tonight
I'm dating Kasper / Kasper left for work at five again
I drive a Skoda Octavia / washed the Skoda today
I study architecture in Delft / done with my architecture homework finally
I have one sister / my sister has two cats now
I smoke a pack a day / haven't smoked since this morning
I rent a flat in Leith / the flat upstairs is for sale
I'm training for a triathlon / watched a triathlon on sunday
My favourite colour is green / my daughter's favourite colour is purple
I'm looking for a job / she found a job at the library
I hate mushrooms / I almost like mushrooms in soup
I volunteer at a soup kitchen / no time for breakfast anymore
I have two cats, Miso and Tofu / Tofu died last night
I have three dogs, Rex, Bella and Max / we had to put Bella down yesterday
I share a flat with Petra and Jens / Petra moved out
"""


def learnt(text: str, *, at: datetime, known: list[str]) -> list[str]:
    line = Line(message=1, author=1, name="Alice", text=text, sent_at=at)
    facts = [KnownFact(id=at, subject=1, text=text, said_on=THEN.date()) for at, text in enumerate(known)]
    given = ExtractionInput(guild="North", lines=[line], learn_from=[1], known=facts)
    found = [(sentence(fact.text), fact.quote) for fact in rules.extract(given).facts]
    return [
        fact for fact, quote in found
        if not (validation.refuse(fact, quote, text) or faithfulness.unfaithful(fact, quote, text, said_at=at))
    ]  # fmt: skip


def test_a_band_with_a_name_is_not_the_member_s_own():
    known = learnt("I play bass in a band called The Wet Socks", at=THEN, known=[])
    assert "The Wet Socks broke up." in learnt("The Wet Socks broke up btw", at=THEN, known=known)
    assert "Their band broke up." in learnt("the band broke up", at=THEN, known=known)


def read_beside(said: str, known: list[str]) -> list[tuple[int, str]]:
    """Return the known facts that consolidation reads beside a new one."""
    test = rules.related(said)
    return [(at, text) for at, text in enumerate(known) if test(text, normalize(text))]


def ended(pair: str) -> bool:
    old, new = pair.split(" / ")
    known = learnt(old, at=THEN, known=[])
    cases = [
        ConsolidationInput(
            new=said, old=[KnownFact(id=at, subject=1, text=text) for at, text in read_beside(said, known)]
        )
        for said in learnt(new, at=THEN + timedelta(days=40), known=known)
    ]
    return any(decision.action == "INVALIDATE" for case in cases for decision in rules.decide(case).decisions)


def test_most_of_what_is_over_ends():
    assert sum(map(ended, ENDS.splitlines())) >= 176


def test_nothing_ends_that_may_stand():
    assert [pair for pair in STANDS.splitlines() if ended(pair)] == []
