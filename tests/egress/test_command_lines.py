"""Passwords in commands: `commands.toml` says which words of which program they are."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import mixed

_COMMANDS = [
    "snmpbulkwalk -v3 -u probe -A {} 10.9.8.7 ifTable",
    "snmptrap -v2c -c {} 10.9.8.7",
    "openssl dgst -sha512 -hmac {} report.bin",
    "openssl s_client -connect shop.test:443 -psk {}",
    "schtasks /change /tn backup /ru ACME\\svc /rp {}",
    "tasklist /s files01 /u bob /p {}",
    "netdom add files02 /domain:acme /passwordd:{}",
    "bitsadmin /setcredentials job server basic bob {}",
    "dtexec /f load.dtsx /de {}",
    "unrar x -p{} backup.rar",
    "rar a -hp{} backup.rar data",
    "curl --cert client.pem:{} https://shop.test/",
    "ab -n 5 -A bob:{} https://shop.test/",
    "ldapcompare -D cn=root -w {} uid=bob mail:x",
    "wbinfo -a bob%{}",
    "samba-tool user create bob {} --use-username-as-cn",
    "ipa-replica-install -w {} --unattended",
    'kadmin.local -q "addprinc -pw {} host/shop.test"',
    "sqlldr userid=bob/{} control=load.ctl",
    "expdp bob/{}@orders full=y",
    'db2 "connect to orders user bob using {}"',
    "etcdctl user add bob:{}",
    "isql -v orders bob {}",
    "cf auth bob {}",
    "rabbitmqctl authenticate_user bob {}",
    "htpasswd -nbB bob {}",
    "caddy hash-password --plaintext {}",
    "mkpasswd -m yescrypt {}",
    "doveadm auth test bob {}",
    "swaks --to a@shop.test -au bob -ap {}",
    "ejabberdctl register bob shop.test {}",
    "ipmitool -H 10.9.8.7 -U root user set password 3 {}",
    "networksetup -setairportnetwork en1 Attic {}",
    "security set-key-partition-list -S apple: -k {} build.keychain",
    "qpdf --encrypt reader {} 256 -- in.pdf out.pdf",
    "pdftk in.pdf output out.pdf owner_pw {}",
    "poetry config http-basic.acme bob {}",
    "composer config -g http-basic.repo.test bob {}",
    "vmrun -gu bob -gp {} listProcessesInGuest a.vmx",
    "php bin/console fos:user:create bob bob@shop.test {}",
    "check_http -H shop.test -a bob:{}",
    "mc alias set backup https://s3.shop.test bob {}",
    'subprocess.run(["ldapwhoami", "-x", "-w", "{}"])',
    'exec.Command("mysqldump", "-u", "bob", "-p{}", "orders")',
    "docker exec -it db mysql -u bob -p{} orders",
    "ssh db01 'mongosh -u bob -p {}'",
    'RUN ["htpasswd", "-bc", "/etc/users", "bob", "{}"]',
    "kinit bob <<< '{}'",
    "cvs -d :pserver:bob:{}@cvs.shop.test:/src co x",
]


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(("value", "is_weak"), [(mixed(18, 7), False), ("Walrus_731", True)])
def test_a_word_of_a_command_is_a_password(command: str, value: str, is_weak: bool) -> None:
    text = f"# nightly\n{command.format(value)}\n".encode()

    found = [
        each
        for each in scan(text)
        if each.span.start <= text.index(value.encode()) < each.span.end
        and each.span.end >= text.index(value.encode()) + len(value)
    ]

    assert found
    assert is_weak or not found[0].is_weak


@pytest.mark.parametrize(
    "command",
    [
        "openssl enc -aes-256-cbc -pass env:BACKUP_SECRET -in a",
        "openssl rsa -passin file:/run/secrets/phrase.txt -in a",
        'mysql -u root -p"$ROOT_PASSWORD" orders',
        "sqlcmd -S db -U sa -P %SA_PASSWORD%",
        "ldapsearch -x -W -b dc=acme",
        "curl -u bob: https://shop.test/",
        "docker run -p 8080:80 -p 9090:90 nginx",
        "htpasswd -c /etc/users bob",
        "net use z: \\\\files\\share",
        "zip -r out.zip data",
        "mongo orders --quiet",
        "rabbitmqctl add_user <name> <password>",
        "samba-tool user create NAME PASSWORD",
        "ldapsearch -x -b dc=acme -s base",
        "the plugin was renamed to the CF auth plugin, maintaining what it did",
        "the exp/imp tools read a/b and write c/d",
    ],
)
def test_what_a_command_takes_instead_of_a_password_is_none(command: str) -> None:
    assert scan(command.encode()) == ()
