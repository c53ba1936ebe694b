"""Functions that settings.UNFOLD refers to: the sidebar, the account menu, the tenant next to the title."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse

from governance.admin.site import principal_in, site
from governance.admin.waiting import waiting_for
from governance.models import Edit

_pages: list[tuple[str, str, str]] = []


def register_page(title: str, icon: str, name: str) -> None:
    """Add a page to the sidebar, by the name of its URL; called once by its app's admin."""
    _pages.append((title, icon, name))


def groups(request: HttpRequest) -> list[dict[str, Any]]:
    """The sidebar: the queue with its count, the pages of the apps, and every registered list by app."""
    principal = principal_in(request)
    if principal is None:
        return []
    waiting = waiting_for(principal)
    queue = {
        "title": "Review queue",
        "icon": site.get_model_admin(Edit).icon,
        "link": reverse("admin:governance_edit_changelist"),
        "badge": waiting.count_text if waiting.count else "",
        "badge_variant": "primary",
    }
    home = {"title": "Home", "icon": "home", "link": reverse("admin:index")}
    pages = [{"title": title, "icon": icon, "link": reverse(name)} for title, icon, name in _pages]
    shown: list[dict[str, Any]] = [
        {"title": "", "items": [home, queue, *pages]},
        *({"title": app["name"], "separator": True, "items": _items(app)} for app in site.get_app_list(request)),
    ]
    _mark_open(request.path, [item for group in shown for item in group["items"]], home["link"])
    return shown


def _mark_open(path: str, items: list[dict[str, Any]], home: str) -> None:
    """Mark only the item of this page: Unfold would mark every item whose address is a prefix."""
    beginning = [item["link"] for item in items if item["link"] != home and path.startswith(item["link"])]
    here = max(beginning, key=len, default=home if path == home else None)
    for item in items:
        item["active"] = item["link"] == here


def _items(app: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "title": str(model["name"]),
            "icon": getattr(site.get_model_admin(model["model"]), "icon", "table_rows"),
            "link": model["admin_url"],
        }
        for model in app["models"]
        if model["model"] is not Edit
    ]


def account_links(request: HttpRequest) -> list[dict[str, str]]:
    """The account menu."""
    links = [
        {"title": "Change password", "link": reverse("admin:password_change")},
        {"title": "Second factor", "link": reverse("admin:second_factor")},
        {"title": "Invitations", "link": reverse("admin:invitations")},
    ]
    if len(site.tenant_accesses(request)) > 1:
        links.insert(0, {"title": "Switch tenant", "link": reverse("admin:choose_tenant")})
    return links


def tenant_name(request: HttpRequest) -> str:
    """The tenant of the page."""
    principal = principal_in(request)
    return principal.tenant_slug if principal else ""


def stylesheet(request: HttpRequest) -> str:
    """Additional CSS classes."""
    return static("governance/admin.css")
