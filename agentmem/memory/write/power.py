"""Power: further ways to say that one may do more than before, or need not ask, also in other languages than English.

Like every screen it is a first layer: what is found here waits for a person, whoever says it.
"""

from __future__ import annotations

import re

_GUARD = (
    r"(?:approvals?|permissions?|confirmations?|consent|authori[sz]ation|reviews?|sign-?offs?|verification|2fa|mfa|"
    r"two-factor(?: authentication)?)"
)
_DEEDS = (
    r"(?:requests?|commands?|actions?|edits?|changes?|orders?|instructions?|word|prompts?|messages?|deployments?|"
    r"commits?|"
    r"tasks?)"
)
_ENGLISH = re.compile(
    # Asking is waived.
    r"\b(?:don't|do not|never|no need to|needn't|stop) (?:ask|prompt|check with|wait for|bother)(?:ing)?(?: me| us)? "
    rf"(?:before|whether|if you may|for (?:\w+ )?{_GUARD})|"
    rf"\b(?:i|we|user|they) (?:don't|do not|needn't|never|no longer) (?:need|require|want) (?:\w+ )?{_GUARD}\b|"
    rf"\b{_GUARD} (?:is|are|isn't|aren't)(?: not| never| no longer)? (?:required|needed|necessary) (?:for|"
    rf"from) (?:me|us|my"
    r"|user)\b|\b(?:say|answer|reply|respond with|press|choose) (?:yes|y|ok|always|allow) (?:to|on|at|for|whenever)\b|"
    # Consent for good, and a word that outranks the rules.
    rf"\b(?:consider|treat|regard|take|count|assume) (?:all |any |every |each )?(?:of )?(?:my|our|user's|"
    rf"these) {_DEEDS} "
    r"(?:as |to be |are )?(?:pre-?)?(?:approved|authori[sz]ed|allowed|trusted|safe|confirmed|permitted)\b|"
    rf"\b(?:have|has|with|under) (?:my|our|user's) (?:\w+ )?{_GUARD}\b|"
    rf"\b(?:blanket|standing|permanent|unconditional|unlimited) {_GUARD}\b|"
    rf"\b{_GUARD} (?:is|was|has been|are|were) (?:hereby |already )?(?:given|granted|waived|implied|assumed)\b|"
    rf"\b(?:my|our) {_DEEDS} (?:always )?(?:override|overrule|outrank|trump|supersede|take precedence|come before|"
    rf"beat)s?\b|"
    # Modes without questions.
    r"\b(?:permission|approval|confirmation) (?:mode|setting|level)s? (?:is|are|=|:|to|should be|must be) (?:\w+ )?"
    r"(?:full|auto|edits|bypass|none|off|yolo|never)\b|"
    r"\b(?:with|at|in|under|has|have) (?:full|unrestricted|unlimited|elevated|root|admin) (?:permissions?|privileges?|"
    r"access|rights)\b|"
    r"\byolo\b|\bfull[ -]auto\b|\bdangerously[ -]\w+|"
    # A limit of one's own.
    r"\bmy (?:\w+ ){0,2}budget (?:is|=) (?:now )?(?:unlimited|infinite|not limited|open-ended)\b|"
    r"\b(?:limit|threshold|cap|ceiling|quota|allowance|budget)s? (?:for|of) (?:me|us|mine|user|my (?:account|"
    r"requests?))\b|"
    # What one may decide.
    r"(?<!do )(?<!should )(?<!can )\bi (?:now |also |can |may |will )*(?:approve|authori[sz]e|sign off)\b(?! of\b)",
    re.IGNORECASE,
)
_ADMIN = r"(?:admin\w*|root\w*|superuser|sudo)"
_OTHERS = re.compile(
    rf"\bich bin (?:hier )?(?:der |die |ein |eine )?(?:{_ADMIN}|chef\w*|eigentümer\w*|inhaber\w*)\b|"
    r"\bmeine?[rn]? (?:\w+[ -])?(?:limit|budget|kontingent|obergrenze|freigabegrenze|ausgabengrenze)\b|"
    rf"\b(?:yo )?soy (?:el |la |un |una )?(?:{_ADMIN}|propietari[oa]|dueñ[oa])\b|\bmi (?:límite|limite|presupuesto|"
    rf"tope)\b|"
    rf"\bje suis (?:l'|un |une |le |la )?(?:{_ADMIN}|propriétaire)\b|\b(?:ma limite|mon (?:plafond|budget|quota))\b|"
    rf"\b(?:eu )?sou (?:o |a |um |uma )?(?:{_ADMIN}|don[oa]|proprietári[oa])\b|\bmeu (?:limite|orçamento)\b|"
    rf"\b(?:io )?sono (?:l'|un |una |il |la )?(?:{_ADMIN}|amministrat\w+|proprietari[oa])\b|\bmio (?:limite|budget|"
    rf"tetto)\b|"
    rf"\bik ben (?:de |een )?(?:{_ADMIN}|beheerder|eigenaar)\b|\bmijn (?:limiet|budget)\b|"
    rf"\bjestem (?:{_ADMIN}|właściciel\w*)\b|\bmój (?:limit|budżet)\b|"
    r"\bя (?:здесь )?(?:админ\w*|рут|root|владелец|суперпользователь)\b|\bмой (?:лимит|бюджет)\b|"
    rf"\bben (?:{_ADMIN}|yönetici\w*)\b|\b(?:limitim|bütçem)\b|"
    r"我是(?:一名|个|这里的|系统)?(?:管理员|超级用户|root|所有者)|我的(?:额度|限额|上限|预算|权限)|"
    r"(?:私|僕|俺)は(?:システム)?(?:管理者|root)|(?:私|僕|俺)の(?:上限|限度額?|予算|権限)|"
    r"(?:나는|저는|내가) (?:시스템 )?관리자|(?:내|제) (?:한도|예산|권한)",
    re.IGNORECASE,
)
_UNASKED = re.compile(
    r"\bohne (?:\w+ )?(?:rückfragen?|nachfragen?|freigabe|genehmigung|bestätigung|erlaubnis|zustimmung|zu fragen)\b|"
    r"\bsin (?:mi |pedir |solicitar )*(?:permiso|aprobación|confirmación|autorización|preguntar)\b|"
    r"\bsans (?:ma |mon |me |demander |aucune )*(?:permission|approbation|confirmation|autorisation|demander)\b|"
    r"\bsem (?:a minha |minha |pedir )*(?:permissão|aprovação|confirmação|autorização|perguntar)\b|"
    r"\bsenza (?:la mia |chiedere )*(?:permesso|approvazione|conferma|autorizzazione|chiedere)\b|"
    r"\bzonder (?:mijn )?(?:toestemming|goedkeuring|bevestiging|te vragen)\b|"
    r"\bbez (?:mojej )?(?:zgody|potwierdzenia|pytania)\b|\bбез (?:моего )?(?:подтверждения|разрешения|согласования|"
    r"спроса)\b|"
    r"\b(?:keine|brauch\w* keine) (?:freigabe|genehmigung|bestätigung|rückfrage)\b|"
    r"(?:无需|不需要|不用|跳过|免)(?:我的)?(?:审批|批准|确认|审核|许可)|(?:承認|確認|許可)(?:は)?(?:不要|なしで|を省略)|"
    r"(?:승인|확인|허락) ?없이",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:nie|niemals|nicht|nichts|niemand|nunca|jamás|jamais|ne|pas|mai|non|não|nooit|niet|niemand|nigdy|никогда|"
    r"нельзя|"
    r"не)\b|不(?!需要|用)|禁止|勿|ない|ません|금지|안 ",
    re.IGNORECASE,
)


def seized(text: str) -> bool:
    """Whether a text, quotations aside, claims a rank or a limit, waives a question, or gives consent for good."""
    if _ENGLISH.search(text) or _OTHERS.search(text):
        return True
    return _UNASKED.search(text) is not None and not _FORBIDS.search(text)
