"""What people tell of their health and money is known as such; a trade, a cause or a price is not."""

import pytest

from memoryhub.safety import sensitive

HEALTH = """\
Is struggling with their weight.
Their aunt is dying.
Is allergic to peanuts.
Has a severe nut allergy and carries an EpiPen.
Is lactose intolerant.
Is pregnant and due in May.
Is expecting twins in July.
Had an abortion last year.
Takes antidepressants.
I'm on insulin since March
Was prescribed Ritalin.
Had knee surgery in April.
Is having an operation on her hip.
Broke his arm while skiing.
Tore her ACL.
Was hospitalized for a week.
Is in the hospital again.
Was working on the roof when he landed in hospital.
Is a patient in a hospital in Leeds.
Works nights and was in hospital in May.
Liegt seit Montag im Krankenhaus.
Goes to therapy every week.
Sees a psychiatrist.
Started physiotherapy for his back.
Suffers from migraines.
Struggles with anxiety.
Has asthma.
Has chronic back pain.
Got covid twice.
Is deaf in one ear.
Has been sober for two years.
Is a recovering alcoholic.
Tried to kill himself at sixteen.
Feels depressed since the winter.
Uses a wheelchair.
Lost 20 kg since January.
Has high blood pressure.
Their mental health issues came back.
Had to take a break from pottery due to an injury.
Running is great for Melanie's mental health.
Had a heart attack at forty.
Is in recovery.
Ich bin allergisch gegen Nüsse.
Bin im dritten Monat schwanger.
Ich gehe in Therapie.
Soy alérgica a los gatos.
Estoy embarazada.
Je suis enceinte de trois mois.
Sono incinta.
""".splitlines()

FINANCES = """\
Earns 4,200 euros a month.
My salary is 65k
Makes $30 an hour at the warehouse.
Has a net worth of two million dollars.
Is in debt.
Has 12,000 dollars in student loans.
Still pays off her credit card debt.
Took out a loan for the car.
Their mortgage was refused.
Went bankrupt in 2019.
Can't afford the rent.
Is behind on rent.
Is broke until Friday.
Owes Bob 500 dollars.
Lent her brother 2,000 euros.
Has $40,000 saved.
Lost 8,000 dollars in crypto.
Owns 3 bitcoin.
Inherited 50,000 pounds.
Lives on unemployment benefits... is on benefits.
Lives paycheck to paycheck.
Has money problems.
Pays child support.
My credit score is 580.
Got evicted last month.
The car repair caused financial strain.
Ich verdiene 3000 Euro.
Habe Schulden bei meinem Bruder.
Gano 2000 euros.
Mon salaire est trop bas.
""".splitlines()

NEITHER = """\
Works as a nurse on a cancer ward.
Is a diabetes nurse.
Studies medicine in Leeds.
Works at a hospital as a cook.
Works as a nurse in a hospital.
Is a pharmacy technician in a big hospital.
Counts pills in a hospital cellar.
Volunteers on Sundays in the hospital.
Ich arbeite als Pfleger im Krankenhaus.
Trabajo de cocinera en un hospital.
Is a physiotherapist.
Wants to become a therapist.
Is considering a career in counseling.
Raised money for asthma research.
Ran a charity race for mental health.
Is passionate about mental health advocacy.
Paints because it is calming.
Doesn't eat meat.
Is vegan.
Dislikes mushrooms.
Goes running every morning.
Trains for a marathon in May.
Broke the build again.
Broke up with Sam in June.
Backs up the server every night.
Fixed a heart-shaped lamp.
Heads the design team.
Is allergic to meetings.
Has a friend dying to see Rome.
Had a cold last week.
Is blindly following the recipe.
Is sick of JavaScript.
Is addicted to chess.
Plays a game called Depression Quest.
Has a dog named Pill.
Fractured the guild into two teams.
Wrote a book about hospitals.
Injected dependencies by hand.
Lost 20 pounds of tomatoes to frost.
Is expecting a parcel on Monday.
Works at a bank in Frankfurt.
Is a mortgage broker.
Studies finance.
Bought a bike for 300 euros.
The concert costs 40 dollars.
Sells honey for 8 euros a jar.
Raised 500 dollars for the shelter.
Saves the snapshots every day.
Broke his phone.
Pays attention to details.
Owes his success to his teacher.
Owns 3 cats.
Invested a lot of time in the garden.
Lost the final 3 to 1.
Made 12 dollars worth of soup.
Has technical debt in the parser.
Lives in a rented flat.
Collects old coins.
Took a loan word from French.
Won a game jam.
Runs a podcast on personal finance.
Is the guild's treasurer.
Lives at 5k altitude... ran a 5k on Sunday.
Plays a healer in the raid.
Hat einen Hund namens Rex.
Vive en Madrid desde hace dos años.
Likes the band Anthrax.
Beat the boss with full health.
Their healer has low health in every fight.
Got a new mortgage calculator to work.
""".splitlines()


@pytest.mark.parametrize(("kind", "texts"), [("health", HEALTH), ("finances", FINANCES)])
def test_what_tells_of_health_or_money_is_known_as_such(kind, texts):
    assert [text for text in texts if sensitive(text) != kind] == []


def test_a_trade_a_cause_and_a_price_are_neither():
    assert [text for text in NEITHER if sensitive(text)] == []


def test_a_guild_may_keep_either():
    assert sensitive(HEALTH[0], kept={"health"}) is None
    assert sensitive(FINANCES[0], kept={"health"}) == "finances"
    assert sensitive(f"{HEALTH[0]} {FINANCES[0]}", kept={"finances"}) == "health"
    assert sensitive(f"{HEALTH[0]} {FINANCES[0]}", kept={"health", "finances"}) is None


def test_a_long_text_is_read_to_its_end():
    assert sensitive("word " * 5_000 + "I have asthma.") == "health"
