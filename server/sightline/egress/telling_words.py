"""Telling words: those that mean a password, a secret, a token or a key of a service."""

from __future__ import annotations

from sightline.egress.disguises import look_alike

# In the languages that programs are written by people of, with and without their accents.
_FOREIGN_PASSWORDS = (
    "passwort kennwort geheimwort motdepasse mdp contraseña contrasena contrasenya clave senha"
    " palavrapasse parola parolă wachtwoord hasło haslo пароль парола лозинка lozinka heslo geslo"
    " jelszó jelszo şifre ŞİFRE sifre lösenord losenord adgangskode kodeord passord salasana"
    " parool parole slaptažodis slaptazodis κωδικός συνθηματικό katasandi sandi katalaluan"
    " mậtkhẩu matkhau pasvorto mima parol pasahitza contrasinal zaporka salasõna lykilorð"
    " nenosiri cyfrinair fjalëkalimi fjalekalimi pasfhocal нууцүг wagwoord wachtwurd"
    " şifrə шифра құпиясөз құпиясоз пароля пароли პაროლი գաղտնաբառ"
    " パスワード 暗証番号 密码 密碼 口令 비밀번호 비번 암호 패스워드"
    " كلمةالمرور كلمةالسر المرور السر סיסמה סיסמא"
    " पासवर्ड पासवार्ड कूटशब्द পাসওয়ার্ড கடவுச்சொல் పాస్‌వర్డ్"
    " รหัสผ่าน"
    " گذرواژه پاسورڈ"
    " pasuwado anshobango bimilbeonho bimilbunho amho kalmatalmurur kalimatalmurur"
)
_FOREIGN_SECRETS = (
    "geheimnis geheim secreto secreta segredo segreta segreto hemlighet hemlig hemmelighet tajny"
    " tajne tajemství tajemstvi gizli rahasia salaisuus titok tajna секрет секретный токен таємниця"
    " 令牌 密钥 密鑰 秘密鍵 秘钥 トークン シークレット 토큰 비밀키 시크릿 رمزسري סוד μυστικό bímật"
    " himitsu zugangsschlüssel zugangsschluessel sicherheitsschlüssel kluczapi geheimcode"
    " zugangsdaten"
)
_FOREIGN_KEYS = (
    "clé clef cle chave llave chiave schlüssel schluessel sleutel klucz nyckel nøkkel nøgle ключ"
    " anahtar anahtarı anahtari avain kulcs klíč kľúč kljuc ključ κλειδί cheie kunci khóa"
    " 鍵 キー 키 مفتاح מפתח कुंजी"
)
"""Words for a key, which is one of a service in a name that says so: `chave_api`, `api_klucz`."""


def _in_every_case(words: str) -> tuple[bytes, ...]:
    """Bytes know the case of ASCII alone. Letters may be changed for some that look like them."""
    cases = {form for word in words.split() for form in (word, word.title(), word.upper())}
    forms = {alike for form in cases for alike in (form, look_alike(form))}
    return tuple(sorted({form.encode().lower() for form in forms}))


FOREIGN_PASSWORDS = _in_every_case(_FOREIGN_PASSWORDS)
FOREIGN_SECRETS = _in_every_case(_FOREIGN_SECRETS)
FOREIGN_KEYS = _in_every_case(_FOREIGN_KEYS)
TELLING = (
    rb"(?i:pass|pwd|pswd|psk|secret|token|cred(?:s|ential)|api[_.\- ]?key"
    rb"|(?:access|auth|shared|master|encryption|signing|private|client|account|service|app|admin"
    rb"|license|deploy|storage|server|session|jwt|hmac|cipher|crypto)[_.\-]?key"
    rb"|(?:pin|access|unlock|recovery|backup|security)[_.\-]?(?:code|answer)"
    rb"|[_\-.]pw\b|\bpw\b|[a-z]Pw\b"
    rb"|mot[_\- ]de[_\- ]passe|parola[_\- ]d[_\- ']ordine|kata[_\- ](?:sandi|laluan)|mat[_\- ]khau"
    rb"|"
    + "mật khẩu|كلمة المرور|كلمة السر|رمز عبور".encode()
    + rb"|"
    # Longer ones first is of no matter: what goes on goes into the name.
    + b"|".join(FOREIGN_PASSWORDS + FOREIGN_SECRETS + FOREIGN_KEYS)
    + rb")"
)
"""A part of a name, as the source of a pattern; it begins with a letter or a sign of a name."""
