"""Irregular: English forms that no rule of stemming joins to their word, and words that are mostly shortened."""

from __future__ import annotations

_VERBS = """
arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began begun; bend bent;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought;
broadcast; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came; creep crept;
deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell
fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget
forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow
grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead
led; lean leant; learn learnt; leave left; lend lent; lose lost; make made; mean meant; meet met; mistake mistook
mistaken; pay paid; prove proven; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen;
seek sought; sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing
sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spend spent; spin spun;
stand stood; steal stole stolen; stick stuck; sting stung; strike struck stricken; swear swore sworn; sweep swept; swell
swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw
threw thrown; understand understood; undo undid undone; wake woke woken; wear wore worn; weave wove woven; weep wept;
win won; wind wound; withdraw withdrew withdrawn; write wrote written; rewrite rewrote rewritten; override overrode
overridden; rebuild rebuilt; overwrite overwrote overwritten; rerun reran
"""
_NOUNS = """
child children; person people; man men; woman women; foot feet; tooth teeth; goose geese; mouse mice; wife wives;
life lives; knife knives; half halves; shelf shelves; leaf leaves; self selves; index indices; matrix matrices;
vertex vertices; criterion criteria; analysis analyses; hypothesis hypotheses; crisis crises; datum data
"""
# What people who build software shorten.
_CLIPPED = """
background bg; configuration config configs; database db; repository repo repos; environment env; documentation docs;
directory dir dirs; dependency deps; argument args arg; parameter param params; message msg; production prod;
temporary tmp; library lib libs; function func; variable var; implementation impl; information info
"""

# Each form -> its word. ``leaves`` is a noun's and a verb's: the verb's regular stem joins it anyhow.
WORDS = {
    form: row.split()[0]
    for row in (";".join((_VERBS, _NOUNS, _CLIPPED))).split(";")
    if row.split()
    for form in row.split()[1:]
}
