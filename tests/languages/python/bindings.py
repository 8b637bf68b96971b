"""Names whose type is plain: what is written beside them, or what is called to make them."""

from .clients import Client, connect
from .stores import Store
from . import models

default: Client = connect()
store = models.Store("main")
store.owner = Client()
spare: "Client | None" = None


class Service:
    client: Client
    retries = models.Retries()

    def __init__(self, store: Store, name: str = "x", *rest: Store, later: "Store"):
        self.store = store
        self.later: Store = later
        self.client = Client(name)
        self.names["first"] = Store()
        self.pair, self.other = connect(), connect()

    async def open(self) -> Client:
        session = await self.client.connect()
        if (found := session.find("x")) is not None:
            return found
        raise LookupError

    def stores(
        self,
    ) -> dict[str, models.Store]:
        made = [models.Store(each) for each in self.names]
        chosen = made[0]
        long = self.client.a_method_with_a_rather_long_name.and_another_one_behind_it.and_one_more()
        raise models.Failed from long

    def untyped(self):
        error = self.open()
        raise error
