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
marry marriage; decide decision; choose choice; grow growth; die death dead; live life alive; able ability; allergic
allergy; act actor actress; paint painter; write writer; music musician; photograph photography photo; teach teacher;
drive driver; dance dancer; sing singer song; run runner; hike hiker; bake baker bakery; farm farmer; game gamer; read
reader; swim swimmer; surf surfer; program programmer; art artist; science scientist scientific; tour tourist; journal
journalist; play player; train trainer; lead leader leadership; sell sale; lose loss; fly flight; speak speech; know
knowledge; believe belief; prove proof; advise advice; respond response; extend extension; expand expansion; conclude
conclusion; permit permission; admit admission; explain explanation; describe description; receive recipient; produce
product; reduce reduction; introduce introduction; destroy destruction; solve solution; apply application; move
movement; employ employee; analyze analysis; diagnose diagnosis; compete competition competitor; succeed success; fail
failure; please pleasure; depart departure; injure injury; counsel counselor; therapy therapist; donate donor; create
creation creative; hungry hunger; angry anger; healthy health; wealthy wealth; sunny sun; rainy rain; noisy noise;
strong strength; long length; wide width; deep depth; high height; warm warmth; young youth; true truth; hot heat;
free freedom; wise wisdom; proud pride; poor poverty; safe safety; finance financial; politics politician; history
historical historian; religion religious; economy economic; environment environmental; America American; Germany
German; France French; Italy Italian; Spain Spanish; England English; Britain British; Japan Japanese; China Chinese;
India Indian; Canada Canadian; Mexico Mexican; Russia Russian; Sweden Swedish; Ireland Irish; Greece Greek; Turkey
Turkish; Europe European; Asia Asian; Africa African; Scotland Scottish; Poland Polish; Brazil Brazilian; Australia
Australian; Korea Korean; Portugal Portuguese; Norway Norwegian; Denmark Danish; Netherlands Dutch; Switzerland Swiss;
Egypt Egyptian; friend friendship; member membership; relation relationship; neighbor neighborhood; child childhood;
champion championship; scholar scholarship; visit visitor; volunteer voluntary; authenticate auth; initialize init;
execute exec; parse parser; log logger; synchronize sync; specify specification spec; edit editor; select selector;
construct constructor
"""
# Each row: words that mean nearly the same, or of which one is a kind of the other.
_MEANINGS = """
kid child toddler; baby infant newborn; mother mom mum; father dad; grandmother grandma; grandfather grandpa; sibling
brother sister; spouse husband wife partner; girlfriend boyfriend partner; family relative; friend buddy pal;
colleague coworker teammate; boss manager supervisor; teacher instructor tutor professor coach; student pupil; doctor
physician; job work career occupation profession employment; company firm business; salary wage income; hire recruit;
purchase buy; shop store; price cost; cheap inexpensive affordable; expensive costly; money cash fund; gift present;
movie film cinema; book novel; song tune track; picture photo photograph image; painting artwork drawing; tv
television; begin start commence; finish end complete; stop quit halt; delay postpone; attend visit; join enroll
participate register; receive get obtain; help assist support; instruct teach mentor coach; plan intend; choose decide
pick select; prefer favorite; love enjoy adore like; hate dislike; fear afraid scared; worry concern anxious; happy
glad joy; sad unhappy upset; angry mad furious; relax unwind rest; stress pressure; sick ill unwell; disease illness
sickness; injury hurt; pain ache sore; heal recover; medicine medication drug; therapy counseling; healthy fit;
exercise workout gym; diet nutrition; meal food dish; dinner supper; drink beverage; dessert cake sweet; cook bake;
recipe dish; car vehicle automobile; bike bicycle; plane flight airplane; trip travel journey vacation holiday; home
house apartment; city town; place location spot; nearby close; fast quick rapid; difficult hard tough challenging;
easy simple; problem issue trouble challenge; repair fix mend; mistake error; break damage; reply answer respond;
phone call; meet encounter; meeting gathering; suggest recommend advise; recommendation advice tip; goal aim target
objective; aspiration dream ambition; achieve accomplish reach; progress improvement; improve enhance; change alter
modify; art craft; dog puppy pup; cat kitten kitty; pet dog cat animal; flower plant garden; forest wood tree;
mountain hill; hike trail trek; walk stroll; run jog; party celebration; festival fest; wedding marry; divorce
separate; birthday anniversary; church religion faith; volunteer charity; charity nonprofit fundraiser; competition
contest tournament; win victory; prize award trophy medal; team squad; school college university; class course lesson
workshop; exam test; laptop computer pc; code program software; app application; internet online web; hobby interest
pastime; clothes outfit; shoe sneaker boot; event occasion; method approach way; sort kind type; police officer; law
legal lawyer; election vote political; debt loan mortgage; rent lease; bug error failure defect; directory folder;
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
