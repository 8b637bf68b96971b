"""Telling words: those that mean a password, a secret, a token or a key of a service."""

from __future__ import annotations

from sightline.egress.disguises import look_alike

# In the languages of many programmers, with and without their accents.
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
    # Phrases and codes that give access.
    " zugangswort zugangspasswort zugangscode zugriffscode losungswort kennphrase passsatz codewort"
    " paßwort kodewort wachtzin wachtfrase toegangscode toegangswoord paswoord sleutelwoord"
    " lösenfras losenfras lösenordet åtkomstkod atkomstkod kodord adgangsord adgangsfrase kodeord"
    " løsenord passfrase tilgangskode tunnussana salalause tunnuslause avainsana pääsykoodi"
    " paasykoodi salasanan jelszava jelmondat kulcsszó kulcsszo şifresi şifrem parolası parolasi"
    " sifresi parolam гасло пароли паролем паролю паролата hasła parolei parolele hesla"
    " přístupovékódy 合言葉 パスフレーズ 通行码 通行碼 访问码 暗号 암호문구 패스프레이즈 접속암호"
)
_FOREIGN_PHRASES = (
    "mot_secret code_secret phrase_secrète phrase_secrete phrase_de_passe code_d_accès"
    " code_d_acces code_acces code_accès palabra_clave palabra_secreta frase_secreta"
    " frase_de_contraseña frase_de_acceso código_de_acceso codigo_de_acceso codigo_acceso"
    " palavra_chave palavra_secreta código_de_acesso codigo_acesso parola_chiave parola_segreta"
    " frase_segreta codice_di_accesso codice_accesso kod_dostępu kod_dostepu fraza_hasła"
    " přístupový_kód pristupovy_kod heslová_fráze přístupové_heslo anahtar_kelime erişim_kodu"
    " erisim_kodu gizli_kelime cuvânt_cheie cuvant_cheie cuvânt_de_trecere cod_de_acces cod_acces"
    " belépési_kód belepesi_kod kata_kunci kode_akses mã_truy_cập mật_mã парольная_фраза"
    " кодовое_слово кодовая_фраза секретное_слово секретная_фраза ключевое_слово код_доступа"
    " кодове_слово ключове_слово код_доступу секретне_слово pristupni_kod pristupna_šifra"
    " φράση_πρόσβασης κωδικός_πρόσβασης رمز_المرور رمز_الدخول عبارة_المرور"
    " מילת_מעבר קוד_גישה गुप्त_शब्द"
)
"""Words for a password that are written as two or three."""
_FOREIGN_SECRETS = (
    "geheimnis geheim secreto secreta segredo segreta segreto hemlighet hemlig hemmelighet tajny"
    " tajne tajemství tajemstvi gizli rahasia salaisuus titok tajna секрет секретный токен таємниця"
    " 令牌 密钥 密鑰 秘密鍵 秘钥 トークン シークレット 토큰 비밀키 시크릿 رمزسري סוד μυστικό bímật"
    " himitsu zugangsschlüssel zugangsschluessel sicherheitsschlüssel kluczapi geheimcode"
    " zugangsdaten geheimer geheime sekret sekretet hemligt hemmelig hemmeligt salainen titkos"
    " secrète tajná tajný"
    " tajné tajnego skrivni slaptas slepenā rahasianya segreti секретна секретная таен тайна"
)
_FOREIGN_KEYS = (
    "clé clef cle chave llave chiave schlüssel schluessel sleutel klucz nyckel nøkkel nøgle ключ"
    " anahtar anahtarı anahtari avain kulcs klíč kľúč kljuc ključ κλειδί cheie kunci khóa"
    " klucza klíče cheia clau raktas atslēga kluc ključa ключа schlussel nokkel nogle"
    " 鍵 キー 키 مفتاح מפתח कुंजी"
)
"""Words for a key; with the name of a service they mean its key: `chave_api`, `api_klucz`."""


def _in_every_case(words: str) -> tuple[bytes, ...]:
    """Return patterns for upper and lower case: for bytes, only ASCII letters have a case. Letters
    may be replaced by similar ones.
    """
    cases = {form for word in words.split() for form in (word, word.title(), word.upper())}
    forms = {alike for form in cases for alike in (form, look_alike(form))}
    return tuple(sorted({form.encode().lower() for form in forms}))


FOREIGN_PASSWORDS = _in_every_case(_FOREIGN_PASSWORDS)
FOREIGN_SECRETS = _in_every_case(_FOREIGN_SECRETS)
FOREIGN_KEYS = _in_every_case(_FOREIGN_KEYS)
FOREIGN_PHRASES = tuple(phrase.split(b"_") for phrase in _in_every_case(_FOREIGN_PHRASES))
"""Each as its words, in lower case."""
FOREIGN_WHOLE = frozenset(b"".join(words) for words in FOREIGN_PHRASES)
"""The same, each as one word."""
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
    # The order does not matter: the rest of a longer word is part of the name.
    + b"|".join(FOREIGN_PASSWORDS + FOREIGN_SECRETS + FOREIGN_KEYS)
    + b"|"
    + b"|".join(rb"[_\- ]?".join(words) for words in FOREIGN_PHRASES)
    + rb")"
)
"""A part of a name, as the source of a pattern; it begins with a letter or a sign of a name."""
