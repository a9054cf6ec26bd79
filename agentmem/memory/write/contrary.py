"""Contrary: words that deny or condition what stands beside them, in English and some other languages.

Taking a word for one that is none costs a question to the person; not knowing one would turn their words round.
"""

from __future__ import annotations

from collections.abc import Iterable

_DENY = """
not no never none nor neither nothing nobody nowhere without cannot avoid except instead hardly rather barely rarely
seldom unlikely stop stops stopped stopping quit quits forbid forbids forbidden prohibit prohibits prohibited disallow
disallowed ban banned refuse refuses refused reject rejected deny denies denied doubt doubts false falsely wrong
wrongly untrue deprecated obsolete dont doesnt didnt wont cant couldnt shouldnt wouldnt mustnt isnt arent wasnt werent
havent hasnt
"""
# Each of these must stand in the claim too; so must those of other languages, of which some mean something else here.
_KEEP = """
if unless suppose imagine pretend maybe perhaps hypothetically until till when whenever only
nicht nie niemals kein keine keinen keinem keiner keines ohne weder verboten statt wenn falls sofern nur bis vielleicht
ne jamais pas aucun aucune sans rien interdit sauf seulement peut-être
nunca jamás ningún ninguna ninguno sin tampoco nada prohibido cuando sólo solo salvo excepto quizás quizá
mai senza nessun nessuno nessuna vietato quando forse soltanto tranne não nem sem nenhum nenhuma proibido somente talvez
niet nooit geen zonder verboden tenzij alleen misschien inte aldrig ingen inget utan endast ikke aldri uten uden kun
nigdy bez żaden не нет никогда нельзя без ни если только пока nikdy değil asla
"""
# In scripts without blanks between words they are pieces of one.
_PIECES = ("不", "没", "沒", "勿", "別", "别", "禁", "ない", "ません", "なく", "ずに", "ไม่", "ห้าม", "อย่า")
_DENYING = frozenset(_DENY.split())
_KEPT = frozenset(_KEEP.split())


def turned(sentence: frozenset[str], claimed: frozenset[str]) -> bool:
    """True when a sentence denies or conditions something and the words claimed from it do not."""
    if _denies(sentence) and not _denies(claimed):
        return True
    if any(_within(piece, sentence) and not _within(piece, claimed) for piece in _PIECES):
        return True
    return not (sentence & _KEPT) <= claimed


def _denies(found: frozenset[str]) -> bool:
    return not found.isdisjoint(_DENYING) or any(word.endswith("n't") for word in found)


def _within(piece: str, found: Iterable[str]) -> bool:
    return any(piece in word for word in found)
