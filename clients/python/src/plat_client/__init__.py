"""A client of plat, the visual segmentation crawler and block-level web archive.

    from plat_client import Client

    with Client("http://127.0.0.1:8632") as plat:
        for block in plat.segment(html, "https://example.com/").leaves("main"):
            print(block.topic, block.markdown)

AsyncClient has the same methods as coroutines. models has the types of answers, errors the exceptions.
"""

from . import errors, models
from ._caller import VERSION as __version__
from ._caller import AsyncItems, Items
from .aio import AsyncClient
from .client import Client
from .errors import PlatError, ProblemError
from .models import NewCrawl, NewSubscription, Seed, SubscriptionChange

__all__ = [
    "AsyncClient",
    "AsyncItems",
    "Client",
    "Items",
    "NewCrawl",
    "NewSubscription",
    "PlatError",
    "ProblemError",
    "Seed",
    "SubscriptionChange",
    "__version__",
    "errors",
    "models",
]
