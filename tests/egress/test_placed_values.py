"""Values that are told by their place; and values that are public."""

from __future__ import annotations

import pytest

from sightline.egress import Certainty, scan
from sightline.text import Span

from .values import hexadecimal, mixed

_PLACES = [
    "aws ssm put-parameter --name /a --type SecureString --value '{}'",
    'aws ssm put-parameter \\\n  --name /a \\\n  --value "{}"',
    "aws secretsmanager create-secret --name a --secret-string {}",
    'gh secret set DEPLOY --body "{}"',
    "echo '{}' | gh secret set DEPLOY",
    "az keyvault secret set --name a --value {}",
    "kubectl create secret generic a --from-literal=b={}",
    "echo 'root:{}' | chpasswd",
    'chpasswd <<< "root:{}"',
    "chpasswd <<EOF\nroot:{}\nEOF",
    "cy.get('#password').type('{}')",
    "cy.get('#password')\n    .type('{}')",
    'driver.find_element(By.ID, "password").send_keys("{}")',
    "await page.fill('input[name=\"password\"]', '{}');",
    "await userEvent.type(passwordInput, '{}');",
    'fill_in "Password", with: "{}"',
    'WiFi.begin("HomeNet", "{}");',
    "wpa_passphrase HomeNet {}",
    "nmcli dev wifi connect HomeNet password {}",
    "WIFI:T:WPA;S:HomeNet;P:{};;",
    "<keyMaterial>{}</keyMaterial>",
    "        option key '{}'",
    'network={{\n  ssid="Home"\n  psk="{}"\n}}',
    "glab variable set DEPLOY --value {}",
    "fly secrets set DATABASE_PASSWORD={}",
    "netlify env:set DB_PASSWORD {}",
    "security add-generic-password -a bob -s shop -w {}",
    "cmdkey /add:h /user:bob /pass:{}",
    "crypto isakmp key {} address 10.0.0.1",
    "snmp-server community {} RO",
    "netsh wlan set profileparameter name=Home keyMaterial={}",
    "iwconfig wlan0 key s:{}",
    "EXEC sp_addlogin 'bob', '{}'",
    'When I fill in "user[password]" with "{}"',
    "Input Password    id:pw    {}",
    "signtool sign /f a.pfx /p {} out.exe",
    'WiFi_begin("HomeNet", "{}");',
    "INSERT INTO users (id, name, password) VALUES (1, 'bob', '{}');",
    "INSERT INTO `users` (`id`, `password`, `x`) VALUES (1, '{}', now());",
    "COPY public.users (id, password, x) FROM stdin;\n1\t{}\tz\n\\.\n",
    "CREATE USER 'bob'@'%' IDENTIFIED BY '{}';",
    "ALTER ROLE bob WITH PASSWORD '{}';",
    "machine a login b password {}",
    "requirepass {}",
    "sshpass -p '{}' ssh host",
    "keytool -genkey -storepass {}",
]


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("value", ["hunter2", "sunshine", "Acme$Prod#91"])
def test_a_value_is_covered_in_its_place(place: str, value: str) -> None:
    """Though no name stands before it."""
    text = place.format(value)
    start = text.index(value)
    spans = [each.span for each in scan(text.encode())]
    assert Span(start, start + len(value)) in spans, spans


@pytest.mark.parametrize("place", _PLACES)
def test_one_that_is_hard_to_guess_is_certain(place: str) -> None:
    """As anywhere else."""
    value = mixed(20)
    found = scan(place.format(value).encode())
    assert Certainty.CERTAIN in [each.certainty for each in found]


def test_every_row_of_a_statement_is_read() -> None:
    """Quotes in cells, calls and numbers between them."""
    rows = ", ".join(f"({index}, 'it''s (a, b)', now(), 'sunshine{index}')" for index in range(40))
    text = f"insert into users (id, note, at, password) values {rows};"
    found = scan(text.encode())
    assert [text[each.span.start : each.span.end] for each in found] == [
        f"sunshine{index}" for index in range(40)
    ]


@pytest.mark.parametrize(
    "text",
    [
        'TOKEN = "FORBIDDEN_VALUE2"',
        'cache.set(key="{hex}", value=1)',
        'key = f"cache:{hex}"',
        "  key: npm-{hex}",
        'assert hmac_key == "{hex}"',
        'expect(secret.hash).toBe("{hex}")',
        'assert token_digest("pw") == "{hex}"',
        'publishableKey: "pk_live_{mixed}"',
        'stripe_key = "pk_test_{mixed}"',
        'data-sitekey="6Le{mixed}AAAAAJ"',
    ],
)
def test_what_is_public_stops_no_build(text: str) -> None:
    """Constants of tests, keys of caches, expected digests, keys that browsers get."""
    filled = text.format(hex=hexadecimal(64), mixed=mixed(32)) if "{" in text else text
    assert all(each.is_weak for each in scan(filled.encode()))
