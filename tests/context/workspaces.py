"""Two small projects: the contract's own example in C#, and one in Python for everything else."""

from __future__ import annotations

SERVICE = "Services/UserService.cs"
INTERFACE = "Services/IUserService.cs"
STORE = "Data/UserStore.cs"
PAGE = "Web/LoginPage.cs"

SHOP: dict[str, str | bytes] = {
    SERVICE: """\
using System.Threading.Tasks;
using Shop.Data;

namespace Shop.Services
{
    /// <summary>Who may come in.</summary>
    public class UserService : IUserService
    {
        private readonly UserStore store;

        public UserService(UserStore store)
        {
            this.store = store;
        }

        /// <summary>Lets a person in.</summary>
        public async Task<bool> LoginAsync(string name, string phrase)
        {
            var user = await store.FindAsync(name);
            return user != null && user.Matches(phrase);
        }

        public async Task LogoutAsync(string name)
        {
            var departed = await store.FindAsync(name);
            departed.Leave();
        }
    }
}
""",
    INTERFACE: """\
using System.Threading.Tasks;

namespace Shop.Services
{
    /// <summary>What a front door has to be able to do, whoever stands before it.</summary>
    public interface IUserService
    {
        /// <summary>Whether a person with this name and this phrase may come in.</summary>
        /// <param name="name">As the person wrote it.</param>
        Task<bool> LoginAsync(string name, string phrase);

        /// <summary>Ends whatever a person with this name was doing.</summary>
        Task LogoutAsync(string name);
    }
}
""",
    STORE: """\
using System.Threading.Tasks;

namespace Shop.Data
{
    public class UserStore
    {
        public async Task<User> FindAsync(string name)
        {
            var looked = new User(name);
            return await Task.FromResult(looked);
        }
    }

    public class User
    {
        public User(string name) { Name = name; }

        public string Name { get; }

        public bool Matches(string phrase) { return phrase.Length > 8; }

        public void Leave() { }
    }
}
""",
    PAGE: """\
using Shop.Services;

namespace Shop.Web
{
    public class LoginPage
    {
        private readonly UserService service;

        public async void Submit(string name, string phrase)
        {
            await service.LoginAsync(name, phrase);
        }
    }
}
""",
    "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk">\n</Project>\n',
}

PRICING = "orders/pricing.py"
MODEL = "orders/model.py"
RULES = "orders/rules.py"
CHECKOUT = "orders/checkout.py"
ABROAD = "orders/abroad.py"

ORDERS: dict[str, str | bytes] = {
    "pyproject.toml": '[project]\nname = "orders"\nversion = "1"\n',
    "orders/__init__.py": "",
    MODEL: """\
class Order:
    def __init__(self, amount: int, country: str) -> None:
        self.amount = amount
        self.country = country

    def describe(self) -> str:
        parts = [str(self.amount), self.country]
        return " ".join(parts)
""",
    RULES: """\
class Rules:
    def rounded(self, cents: int) -> int:
        spare = cents % 5
        return cents - spare
""",
    PRICING: """\
import logging

from orders.model import Order
from orders.rules import Rules

log = logging.getLogger(__name__)


class Pricing(Rules):
    factor = 2

    def total(self, order: Order) -> int:
        doubled = order.amount * self.factor
        return self.rounded(doubled)

    def label(self, order: Order) -> str:
        description = order.describe()
        return description.title()


def free() -> int:
    nothing = 0
    return nothing
""",
    CHECKOUT: """\
from orders.model import Order
from orders.pricing import Pricing


def pay(order: Order) -> int:
    pricing = Pricing()
    return pricing.total(order)
""",
    ABROAD: """\
from orders.checkout import pay
from orders.model import Order


def pay_abroad(order: Order) -> int:
    return pay(order) + 100
""",
}
TOTAL = f"{PRICING}::Pricing.total"
