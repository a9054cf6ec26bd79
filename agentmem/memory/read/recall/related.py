"""Related: words that people put for one another, and words of one family that no rule of stemming joins.

"Which injury was it?" is answered by "I hurt my knee". Both lists are of everyday and of programmers' English, and
short on purpose. A related word stands in for one that a text lacks, and counts half of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from agentmem.memory.read.recall.terms import terms

# Each row: words of one family.
_FAMILIES = """
marry marriage; decide decision; choose choice; grow growth; die death dead; live life alive; ill illness; able
ability; allergic allergy; act actor actress; paint painter; write writer; music musician; photograph photographer
photography photo; teach teacher; drive driver; dance dancer; sing singer song; run runner; hike hiker; bake baker
bakery; farm farmer; game gamer; read reader; swim swimmer; surf surfer; design designer; program programmer; art
artist artistic; science scientist scientific; tour tourist; journal journalist; play player; train trainer; lead
leader leadership; sell sale; lose loss; fly flight; speak speech; think thought; know knowledge; believe belief;
prove proof; advise advice; respond response; extend extension; expand expansion; conclude conclusion; permit
permission; admit admission; explain explanation; describe description; receive recipient; produce product production;
reduce reduction; introduce introduction; destroy destruction; solve solution; apply application applicant; invite
invitation; move movement; employ employer employee employment; analyze analysis; diagnose diagnosis; compete
competition competitor; succeed success; fail failure; please pleasure; depart departure; injure injury; counsel
counselor; therapy therapist; donate donation donor; create creation creative; hungry hunger; angry anger; healthy
health; wealthy wealth; sunny sun; rainy rain; noisy noise; strong strength; long length; wide width; deep depth; high
height; warm warmth; young youth; true truth; hot heat; free freedom; wise wisdom; proud pride; poor poverty; safe
safety; nation national; nature natural; culture cultural; region regional; finance financial; politics political
politician; history historical historian; religion religious; economy economic; environment environmental; tradition
traditional; emotion emotional; educate education; America American; Germany German; France French; Italy Italian;
Spain Spanish; England English; Britain British; Japan Japanese; China Chinese; India Indian; Canada Canadian; Mexico
Mexican; Russia Russian; Sweden Swedish; Ireland Irish; Greece Greek; Turkey Turkish; Europe European; Asia Asian;
Africa African; Scotland Scottish; Poland Polish; Brazil Brazilian; Australia Australian; Korea Korean; Portugal
Portuguese; Norway Norwegian; Denmark Danish; Netherlands Dutch; Switzerland Swiss; Egypt Egyptian; friend friendship;
member membership; relation relationship; neighbor neighborhood; child childhood; champion championship; scholar
scholarship; visit visitor; volunteer voluntary; authenticate authentication auth; initialize initialization init;
execute execution exec; compile compiler; parse parser; render renderer; log logger; schedule scheduler; encode
encoder; synchronize sync; specify specification spec; depend dependency; edit editor; select selector; construct
constructor
"""
# Each row: words that mean nearly the same, or of which one is a kind of the other.
_MEANINGS = """
kid child toddler; baby infant newborn; mother mom mum; father dad; grandmother grandma; grandfather grandpa; sibling
brother sister; spouse husband wife partner; girlfriend boyfriend partner; family relative; friend buddy pal;
colleague coworker teammate; boss manager supervisor; teacher instructor tutor professor coach; student pupil; doctor
physician; human person individual; job work career occupation profession employment; company firm business; office
workplace; salary wage income; hire recruit; quit resign; purchase buy; shop store; price cost; cheap inexpensive
affordable; expensive costly; money cash fund; gift present; movie film cinema; book novel; song tune track; band
group; picture photo photograph image; painting artwork drawing; tv television; game match; begin start commence;
finish end complete; stop quit halt; delay postpone; attend visit; join enroll participate register; receive get
obtain; earn gain; donate give; help assist support; instruct teach mentor coach; understand comprehend; want wish
hope; plan intend; choose decide pick select; prefer favorite; love enjoy adore like; hate dislike; fear afraid
scared; worry concern anxious; happy glad joy; sad unhappy upset; angry mad furious; tired exhausted; amaze surprise
astonish; excited thrilled; relax unwind rest; stress pressure; sick ill unwell; disease illness sickness; injury hurt
wound; pain ache sore; heal recover; medicine medication drug; therapy counseling; healthy fit; exercise workout gym;
diet nutrition; meal food dish; dinner supper; drink beverage; dessert cake sweet; cook bake; recipe dish; car vehicle
automobile; bike bicycle; plane flight airplane; trip travel journey vacation holiday; street road; hotel
accommodation; home house apartment; relocate move; country nation; city town; area region; place location spot;
nearby close; large big huge; small little tiny; fast quick rapid; old ancient; beautiful pretty gorgeous; great
awesome amazing wonderful; terrible awful bad; difficult hard tough challenging; easy simple; problem issue trouble
challenge; repair fix mend; mistake error; break damage; talk speak chat; reply answer respond; phone call; meet
encounter; meeting gathering; argue disagree; suggest recommend advise; recommendation advice tip; idea thought; goal
aim target objective; aspiration dream ambition; achieve accomplish reach; progress improvement; improve enhance;
change alter modify; make create build produce; art craft; dog puppy pup; cat kitten kitty; pet dog cat animal; flower
plant garden; forest wood tree; mountain hill; hike trail trek; walk stroll; run jog; ocean sea beach; lake river;
party celebration; celebrate party; festival fest; wedding marry married; divorce separate; birthday anniversary; pass
die; church religion faith; volunteer charity; charity nonprofit fundraiser; competition contest tournament; win
victory; prize award trophy medal; team squad; school college university; class course lesson workshop; degree
diploma; exam test; study research; laptop computer pc; code coding program software; app application; internet online
web; hobby interest pastime; memory remember; clothes clothing outfit; shoe sneaker boot; event occasion; reason
cause; method approach way; sort kind type; important significant essential; various different; unique special; often
frequently regularly; together jointly; accident crash incident; police officer; law legal lawyer; election vote
political; army military; veteran soldier; debt loan mortgage; rent lease; bug error failure defect; directory folder;
delete remove; add insert; update upgrade; run execute; verify check test; option setting; deploy release; login
signin
"""


@cache
def _related() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for row in _rows():
        for stem in row:
            found.setdefault(stem, {}).update(dict.fromkeys(other for other in row if other != stem))
    return {stem: tuple(others) for stem, others in found.items()}


def _rows() -> Iterator[list[str]]:
    for row in f"{_FAMILIES};{_MEANINGS}".split(";"):
        yield [stem for word in row.split() for stem in terms(word)[:1]]


def related(stem: str) -> tuple[str, ...]:
    """The stems that may stand in for one, those of its family first."""
    return _related().get(stem, ())
