"""Open questions settled, units retired or given another source: one or several in one commit."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from evidence_app.curation import documents
from evidence_app.curation import render as html
from evidence_app.curation.access import author_of, curator_only, user_of
from evidence_app.curation.commits import evidence_commit
from evidence_app.curation.pages import page, status_of
from evidence_app.curation.problems import Problem, problem_of
from evidence_app.curation.tree import Changes, Tree
from evidence_app.models import EvidenceUnit
from evidence_app.sync import evidence_sync_if_moved
from thoth.lib.errors import Invalid, ThothError
from thoth.lib.text import whole_numbers
from thoth.workspaces.repository import (
    Repository,
    bytes_diff,
    repository_head,
    repository_open,
    repository_resolve,
    repository_tree,
)

HOWS = ("settle", "retire", "relink")
UNITS_MAX = 200


@dataclass(slots=True)
class Order:
    """What is to be done to which units, and how it looks when it is done."""

    how: str
    workspace: str
    repository: Repository
    base: str
    units: list[EvidenceUnit]
    chosen: list[int] = field(default_factory=list)
    source: str = ""
    difference: str = ""
    problem: Problem | None = None

    def build(self, tree: Tree) -> Changes:
        """The changed files. Raises: Invalid where a unit cannot be changed so."""
        paths = [unit.path for unit in self.units]
        if self.how == "retire":
            return documents.retired(tree, paths)
        if self.how == "relink":
            return documents.relinked(tree, paths, self.source)
        return documents.settled(tree, self._settled())

    def _settled(self) -> dict[str, set[int]]:
        items = [item for unit in self.units for item in unit.review_items.all()]
        chosen = [item for item in items if item.pk in self.chosen]
        if not chosen:
            raise Invalid("nothing_chosen", "Choose something first.")
        positions: dict[str, set[int]] = {}
        by_pk = {unit.pk: unit for unit in self.units}
        for item in chosen:
            positions.setdefault(by_pk[item.unit_id].path, set()).add(item.position)
        return positions


@curator_only
@require_POST
def resolve_view(request: HttpRequest) -> HttpResponse:
    order = _order(request)
    action = request.POST.get("action", "")
    if action:
        try:
            if action == "save":
                return _save(request, order)
            order.difference = _difference(order)
        except ThothError as error:
            order.problem = problem_of(error)
    return shown(request, order)


def open_order(how: str, units: list[EvidenceUnit], chosen: list[int]) -> Order:
    """An order on the newest commit. The units are of one workspace.

    Raises: Invalid `nothing_chosen`, `one_workspace`.
    """
    names = {unit.workspace for unit in units}
    if not units:
        raise Invalid("nothing_chosen", "Choose something first.")
    if len(names) > 1:
        message = _("Choose units of one workspace: each has a repository of its own.")
        raise Invalid("one_workspace", message)
    workspace = names.pop()
    repository = repository_open(workspace)
    return Order(how, workspace, repository, repository_head(repository), units, chosen)


def shown(request: HttpRequest, order: Order) -> HttpResponse:
    """The page that asks for the decision, with the difference once it is known."""
    tree = repository_tree(order.repository, order.base, "source")
    context = {
        "how": order.how,
        "base": order.base,
        "units": order.units,
        "chosen": order.chosen,
        "sources": sorted(tree),
        "source": order.source,
        "diff_html": html.diff(order.difference) if order.difference else "",
        "problem": order.problem,
    }
    crumbs = ((_("Several units"), ""),)
    status = status_of(order.problem, None)
    return page(
        request, "resolve", context, workspace=order.workspace, crumbs=crumbs, status=status
    )


def _order(request: HttpRequest) -> Order:
    how = request.POST.get("how", "")
    if how not in HOWS:
        raise Http404
    numbers = whole_numbers(request.POST.getlist("unit"))[:UNITS_MAX]
    rows = EvidenceUnit.objects.filter(pk__in=numbers)
    for workspace in set(rows.values_list("workspace", flat=True)):
        evidence_sync_if_moved(workspace)
    units = list(rows.all().prefetch_related("review_items"))
    chosen = whole_numbers(request.POST.getlist("item"))
    order = open_order(how, units, chosen)
    order.source = request.POST.get("source", "")
    if "base" in request.POST:
        order.base = repository_resolve(order.repository, request.POST["base"])
    return order


def _difference(order: Order) -> str:
    tree = repository_tree(order.repository, order.base)
    changes = order.build(tree)
    return "".join(bytes_diff(path, tree.get(path), new) for path, new in sorted(changes.items()))


def _save(request: HttpRequest, order: Order) -> HttpResponse:
    evidence_commit(
        workspace=order.workspace,
        base=order.base,
        paths={unit.path for unit in order.units},
        build=order.build,
        author=author_of(user_of(request)),
        message=_message(order),
    )
    messages.success(request, _("Committed under your name."))
    return HttpResponseRedirect(reverse("admin:evidence_workspace", args=[order.workspace]))


def _message(order: Order) -> str:
    count = len(order.units)
    names = "\n".join(unit.evidence_id for unit in order.units)
    subjects = {
        "settle": ngettext(
            "Settle open questions of %d unit", "Settle open questions of %d units", count
        ),
        "retire": ngettext("Retire %d unit", "Retire %d units", count),
        "relink": ngettext("Give %d unit another source", "Give %d units another source", count),
    }
    return f"{subjects[order.how] % count}\n\n{names}"
