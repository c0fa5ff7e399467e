"""What is kept only where a guild says so: what people tell of their health and of their money."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from memoryhub.safety.chunks import NOT_INSIDE, parts

Sensitive = Literal["health", "finances"]
KINDS: tuple[Sensitive, ...] = ("health", "finances")

# A trade, a cause or a study is no state of health: "a diabetes nurse", "raised money for asthma research".
_TRADE = (
    r"(?![ -](?:research\w*|awareness|charit\w+|foundation|fundrais\w+|unit|ward|nurse|nursing|doctor|specialist"
    r"|advoca\w+|clinic|centre|center|app|apps|studies|student|software|industry|company|startup|rep\b|sales|training"
    r"|podcast|books?|education|policy|games?|league|season))"
)
_BODY = (
    r"(?:knees?|hips?|backs?|hearts?|lungs?|kidneys?|shoulders?|eyes?|ankles?|wrists?|legs?|arms?|foot|feet"
    r"|hands?|necks?"
    r"|spines?|ribs?|noses?|ears?|fingers?|elbows?|head|teeth|tooth|jaw|skull|collarbone|achilles|acl|meniscus)"
)
_MEDICINE = (
    r"(?:medications?|medicines?|meds|antidepressants?|ssris?|insulin|antibiotics?|painkillers?|opioids?|steroids"
    r"|chemo(?:therapy)?|radiotherapy|statins?|beta[ -]?blockers?|blood thinners|inhalers?|sleeping pills|birth control"
    r"|the pill|hormones?|hrt|testosterone|estrogen|methadone|lithium|prozac|zoloft|xanax|lexapro|adderall|ritalin"
    r"|concerta|ozempic|wegovy|metformin|ibuprofen|viagra|immunosuppressants?)"
)
_HEALTH = re.compile(
    NOT_INSIDE
    + r"(?:\ballerg(?:y|ies)\b"
    + _TRADE
    + r"|\ballergic\b(?! to (?:work|mondays|meetings|people|fun|nonsense|drama"
    r"|effort)\b)"
    r"|\b(?:lactose|gluten|fructose|histamine)[ -]intoleran\w+|\banaphyla\w+|\bepipen\b|\bhay ?fever\b"
    r"|\bpregnan(?:t|cy|cies)\b" + _TRADE + r"|\b(?:first|second|third) trimester\b|\bivf\b|\binfertil\w+|\bmenopaus\w+"
    r"|\b(?:had|having|has had|needed|considering) an? (?:abortion|hysterectomy|vasectomy|c-section|caesarean)\b"
    r"|\bexpecting (?:a (?:baby|child|boy|girl)|twins|triplets)\b|\bfertility (?:treatment|clinic|problems?)\b"
    rf"|\b(?:takes?|taking|took|on|off|needs?|prescribed|injects?|started"
    rf"|stopped) (?:\w+ ){{0,2}}?{_MEDICINE}\b"
    + _TRADE
    + rf"|\b(?:my|his|her|their) {_MEDICINE}\b|\bprescription for\b|\bprescribed\b|\bdialysis\b|\bpacemaker\b"
    r"|\b(?:had|having|has had|needs?|needed|after|undergo(?:es|ing)?|underwent|scheduled|facing|from) "
    rf"(?:an? |the |my |his |her |their |{_BODY} |\w+ ){{0,3}}?(?:surger(?:y|ies)|transplants?|biopsy"
    rf"|colonoscopy)\b"
    + _TRADE
    + rf"|\b{_BODY} (?:surgery|operation|replacement|injury|pain|problems)\b|\boperation on (?:\w+ )?{_BODY}\b"
    rf"|\b(?:broke|broken|fractured|sprained|tore|torn|dislocated|injured|hurt|twisted|strained) (?:(?:my|his"
    rf"|her|their|a|an"
    rf"|the|both|left|right|some) )*{_BODY}\b"
    r"|\b(?:hospitali[sz]ed|in (?:the |a )?hospital\b(?! (?:band|drama))|rushed to (?:the )?(?:hospital|er)"
    r"|intensive care"
    r"|went to (?:the )?er\b|emergency room)(?! (?:nurse|doctor|shift|staff))"
    r"|\b(?:(?<!interested )(?<!options )(?<!career )(?<!careers )(?<!degree )(?<!jobs )(?<!works )(?<!trained )in"
    r"|attends?|attending"
    r"|started|starting|goes to|going to|went to|needs?|seeing|sees|saw|has|had) "
    r"(?:an? |my |his |her |their |to |weekly |group )*(?:therap(?:y|ist)|counsel+ing|psychiatrist|psychologist"
    r"|physio(?:therap(?:y|ist))?|physical therapy|rehab|oncologist|cardiologist|neurologist|dermatologist)\b"
    + _TRADE
    + r"|\b(?:my|(?<!for )his|(?<!for )her|(?<!support )their|\w+['’]s|his own|her own) mental health\b"
    + _TRADE
    + r"|\b(?:due to|after|from|with|had|has|suffered|my|his|her|their"
    r"|an?) (?:\w+ )?(?<!avoid )(?<!prevent )injur(?:y|ies)\b"
    + _TRADE
    + r"|\binjured (?:my|him|her|them)sel\w+|\bphysical therapy exercises\b"
    + r"|\bmental health (?:issues?|problems?|struggles?|crisis|condition|break|challenges)"
    r"|\b(?:suffers?|suffering|suffered|struggl(?:es|ed|ing)|deal(?:s|ing|t)|liv(?:es|ing|ed)|cop(?:es|ing|ed)"
    r"|battl(?:es|ed"
    r"|ing)) (?:\w+ )?(?:from|with) (?:\w+ ){0,2}?(?:anxiety|depression|panic attacks?|insomnia|migraines?"
    r"|asthma|arthritis"
    r"|pain|burn ?out|grief|trauma|ptsd|an? (?:illness|disability|condition|disorder)|illness|addiction|eczema"
    r"|psoriasis"
    r"|tinnitus|vertigo|obesity|health|loneliness|long covid|sleep(?: apnea)?)\b"
    r"|\b(?:has|have|had|having|got|gets|get|with) (?:\w+ ){0,2}?(?:anxiety|panic attacks?|insomnia|migraines?|asthma"
    r"|arthritis|scoliosis|sciatica|eczema|psoriasis|tinnitus|vertigo|an? (?:illness|disability|concussion"
    r"|seizures?|ulcer"
    r"|hernia|hearing aid)|chronic (?:pain|illness|fatigue)|(?:back|chest|knee|joint|neck|stomach) (?:pains?|problems?)"
    r"|long covid|covid(?:-19)?|pneumonia|sleep apnea|gallstones|kidney stones|anemia|anaemia|heart (?:attack"
    r"|condition|"
    r"problems?)|thyroid problems?)\b"
    + _TRADE
    + r"|\b(?:asthma attack|heart attack|panic attack)s?\b"
    + _TRADE
    + r"|\basthmatic\b|\bepileptic\b|\bdiabetic\b"
    + _TRADE
    + r"|\b(?:is|am|i'?m|was|been|feels?|felt|feeling) (?:\w+ ){0,2}?(?:depressed|suicidal|burn(?:ed|t) ?out"
    r"|deaf|(?:legally |colou?r[ -]?)?blind|chronically ill|terminally ill|in recovery|anorexic|bulimic|obese"
    r"|overweight|underweight|infertile|autistic|neurodivergent|immunocompromised|wheelchair[ -]bound)\b"
    r"|(?:^(?:is|was|am)|\b(?:i am|i['’]?m|s?he(?:['’]s| is| was))) (?:\w+ )?disabled\b"
    r"|\b(?:self[ -]?harm(?:s|ed|ing)?|suicide attempt|tried to (?:kill (?:my|him|her|them)sel\w+|end (?:my|his"
    r"|her|their)"
    r" life)|overdos(?:ed|e on)|(?:drug|alcohol|gambling|heroin|opioid) addict\w*|recovering (?:addict|alcoholic)"
    r"|is an? (?:addict|alcoholic)|alcoholics anonymous|relapsed|(?:been|is|got|stays?|(?:\w+ )?(?:days|weeks"
    r"|months|years))"
    r" sober)\b|\buses a (?:wheelchair|walker|cane|hearing aid|cpap)\b|\bprosthe(?:tic|sis)\b|\bamputat\w+"
    r"|\b(?:lost|gained|wants? to lose|needs? to lose|trying to lose|weighs?) (?:\w+ ){0,3}?\d+ ?(?:kg|kilos?"
    r"|lbs?|pounds|"
    r"stone)\b(?! (?:of|bag|sack|dumbbell|dog|cat|fish|pumpkin))|\bblood (?:pressure|sugar|type)\b|\bcholesterol\b"
    r"|\b(?:got|was|been|fully|is) (?:vaccinated|boosted against|immuni[sz]ed)\b|\bhealth (?:scare|problems?|issues?|"
    r"conditions?|complications)\b"
    # German, Spanish, French, Portuguese, Italian
    r"|\ballergi(?:sch|e|que|es|en)\b|\bal[eé]rgi(?:c[oa]s?|as?)\b|\ballergi(?:c[oa]|e)\b|\bschwanger\b|\bembarazada\b"
    r"|\benceinte\b|\bgrávida\b|\bincinta\b|\bantid[eé]press\w+|\bnehme (?:\w+ )?(?:medikamente|tabletten|insulin)\b"
    r"|\b(?:in|mache|brauche) (?:eine )?(?:therapie|psychotherapie)\b|\bim krankenhaus\b(?! (?:arbeite|als))"
    r"|\b(?:operiert worden|wurde operiert|krankgeschrieben|rückenschmerzen|panikattacken|angststörung|habe asthma)\b"
    r"|\b(?:me operaron|tomo (?:medicación|pastillas|antidepresivos)|tengo (?:ansiedad|asma|migrañas)|voy a terapia)\b"
    r"|\b(?:j['’]ai de l['’](?:asthme|anxiété)|je suis (?:dépressi\w+|malade)|opérée? d[ue]|faço terapia|tenho asma)\b"
    r")",
    re.IGNORECASE,
)

_SUM = (
    r"(?:(?:[$€£¥₹]|usd|eur|gbp|chf)\s?\d[\d.,' ]*\s?(?:k\b|m\b|thousand|million)?"
    r"|\b\d[\d.,']*\s?(?:k\b\s?)?(?:[$€£¥₹]|dollars?"
    r"|bucks|euros?|pounds(?! of)|quid|francs|usd|eur|gbp|chf|btc|bitcoins?|eth)|\b\d+(?:[.,]\d+)?\s?k\b)"
)
_PERIOD = r"(?:an?|per|every|each|/)\s?(?:hour|day|week|month|year|annum|hr|yr|mo)\b"
_FINANCES = re.compile(
    r"\b(?:my|his|her|their|whose|earns? an?|on an?|with an?) (?:\w+ ){0,2}?(?:salary|wages?|paycheck|income|net worth"
    r"|credit score|overdraft|pension|savings account|bank balance|account balance|take-home pay)\b(?! (?:negotiation|"
    r"transparency|research|model|calculator))"
    rf"|\b(?:salary|income|wage|net worth|bonus|pension|rent|mortgage|savings|debts?|loans?) (?:is|was|are|of"
    rf"|at|:|went)"
    rf" (?:\w+ ){{0,3}}?{_SUM}"
    rf"|\b(?:earn(?:s|ed|ing)?|makes?|making|made|paid|pays?|gets?|brings? home) (?:\w+ ){{0,3}}?{_SUM}\s?{_PERIOD}"
    rf"|\b(?:earn(?:s|ed|ing)?) (?:\w+ ){{0,3}}?{_SUM}|{_SUM}\s?{_PERIOD} (?:salary|before tax|after tax|gross|net)\b"
    rf"|\b(?:owes?|owed|owing) (?:\w+ ){{0,4}}?(?:{_SUM}|money|back taxes)|\b(?:borrowed|lent|loaned) (?:\w+ ){{0,3}}?"
    rf"(?:{_SUM}|money)|\b(?:has|have|had|got) (?:\w+ ){{0,3}}?{_SUM} (?:\w+ ){{0,2}}?(?:saved|in (?:savings"
    rf"|debt|the bank"
    r"|stocks|crypto|loans?))\b"
    rf"|\b(?:invest(?:s|ed|ing)?|lost|put|won|inherit(?:s|ed)) (?:\w+ ){{0,3}}?{_SUM}"
    rf"|\binherited (?:\w+ ){{0,2}}?(?:money|a "
    r"fortune|the house)\b"
    r"|\b(?:in|into|of|out of|paid off|paying off|has|have|had"
    r"|with) (?:\w+ ){0,3}?(?<!technical )debts?\b(?! (?:collect\w+|of gratitude))"
    r"|\b(?:credit card|gambling|medical|tax|student) debts?\b|\bstudent loans?\b|\bnet worth of\b|\bnet worth of\b"
    r"|\b(?:took out|takes out|got|has|have|had"
    r"|needs?|paying off|paid off|applied for|repaying) (?:an? |the |my |his |her |their |car |bank |home "
    r"|personal )*(?:loan"
    r"|mortgage|remortgage)s?\b(?! (?:broker|adviser|advisor))|\b(?:my|his|her|their) (?:mortgage|loans?|debts?"
    r"|finances|"
    r"credit history|tax return|taxes)\b|\bbankrupt(?:cy)?\b(?! law)|\bforeclos\w+|\brepossess\w+|\bevict(?:ed|ion)\b"
    r"|\b(?:behind on|can(?:'|no)?t (?:afford|pay)|cannot afford|struggl(?:es|ing) to (?:pay"
    r"|afford)) (?:\w+ ){0,3}?(?:rent"
    r"|mortgage|bills?|food|groceries|medication|loans?|tuition|heating|childcare)\b"
    r"|\b(?:is|am|i'?m|are|was|went|being|totally|flat) broke\b|\bliv(?:es|ing) paycheck to paycheck\b"
    r"|\bmoney (?:troubles?|"
    r"problems?|worries|is tight)\b|\bfinancial(?:ly)? (?:troubles?|problems?|difficult\w+|struggl\w+|hardship"
    r"|strain|stress"
    r"|struggling|situation|setbacks?|burdens?|strained|unstable|insecure)\b"
    r"|\bon (?:welfare|benefits|food stamps|unemployment|universal credit|social security|disability benefits?)\b"
    r"|\b(?:claims?|collect(?:s|ing)|receiv(?:es|ing)) (?:unemployment|welfare|benefits|alimony|child support)\b"
    r"|\b(?:pays?|owes?|paying) (?:alimony|child support)\b|\bowns? (?:\w+ ){0,2}?\d[\d.,]* (?:bitcoins?|btc"
    r"|eth|shares|"
    r"stocks)\b|\b(?:portfolio|stocks|crypto|savings|shares|estate|inheritance) (?:is |are |was )?worth\b"
    # German, Spanish, French, Portuguese, Italian
    rf"|\b(?:verdien(?:e|t|en)|gano|cobro|gagne|ganho|guadagno) (?:\w+ ){{0,3}}?{_SUM}|\b(?:schulden|hartz"
    rf"|bürgergeld|überschuld"
    r"\w+|insolvenz|privatinsolvenz)\b|\b(?:mein|sein|ihr) (?:gehalt|kredit|einkommen|kontostand)\b|\b(?:mi"
    r"|su) (?:sueldo|salario"
    r"|hipoteca|deuda)s?\b|\btengo deudas\b|\b(?:mon|son) (?:salaire|prêt|crédit)\b|\bendett[ée]e?\b|\bmeu salário\b"
    r"|\bil mio stipendio\b",
    re.IGNORECASE,
)
_PATTERNS: dict[Sensitive, re.Pattern[str]] = {"health": _HEALTH, "finances": _FINANCES}


def sensitive(text: str, *, kept: Collection[str] = ()) -> Sensitive | None:
    """Return which sensitive kind the text tells of anybody, of those that are not kept; None for none."""
    asked = [kind for kind in KINDS if kind not in kept]
    return next((kind for part in parts(text) for kind in asked if _PATTERNS[kind].search(part)), None)
