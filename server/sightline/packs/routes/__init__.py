"""Find the routes of web frameworks and the commands of command lines in a program."""

from collections.abc import Mapping

from sightline.packs.routes.model import Offer
from sightline.packs.routes.python_routes import python_offers
from sightline.packs.routes.rails import rails_offers
from sightline.packs.routes.web import web_offers

__all__ = ["Offer", "find_offers"]


def find_offers(texts: Mapping[str, str]) -> list[Offer]:
    """Return every route and command in some texts, by file and line."""
    return sorted([*python_offers(texts), *web_offers(texts), *rails_offers(texts)])
