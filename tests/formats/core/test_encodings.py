"""Old encodings: each is recognized from short texts, or asked for; none is taken for another one."""

import random

import pytest

from formats.core.encodings import recognized
from formats.core.faults import Fault
from formats.reading import read_table
from formats.sniffing import sniff
from tests.formats.limits import limits_of

LIMITS = limits_of()
WESTERN = {
    "Spanish": "año población José María Núñez García Peña Muñoz León niño código teléfono también según días España",
    "French": "prénom Hélène Élise François Noël Île-de-France août hôpital père âge numéro naissance réponse très",
    "German": "Straße Müller Geschlecht Köln München Größe Änderung Übung für größer möchte Jäger Schröder Weiß heißt",
    "Portuguese": "população João São Conceição Antônio município não também três início informação João Mourão mês",
    "Italian": "città Forlì Cantù perché più così età università Niccolò è società qualità però martedì già sarà",
    "Danish": "køn Søren Jørgen Århus Ærø København kvæg må søndag Jørgensen Østergaard år sæd bør også først",
    "Swedish": "kön Göteborg Åsa Björn Malmö år läkare sjuksköterska ålder också för människa första Örebro Östersund",
    "Finnish": "ikä Jyväskylä Hämeenlinna Seinäjoki päivä työ äiti lähikontakti käynti syntymäpäivä perhe Järvinen",
    "Dutch": "geïnteresseerd één reünie België cliënt ideeën geëmigreerd Zoë financiële categorieën coördinatie",
    "Catalan": "població Núria Màrius Àngels desembre després català també món anàlisi què països camí és però",
    "Icelandic": "Reykjavík Þórður Guðrún Björn Akureyri fæðing ár kyn starf þjónusta ætt Sigurður lækna hús tíð",
    "English": "don’t café “quoted” I’m – he’s résumé we’ve £20 naïve children’s woman’s",
}
OTHERS = {
    "Polish": ("cp1250 iso8859-2", "imię Łukasz Łódź Małgorzata płeć mężczyzna Zieliński Wójcik województwo Śląsk"),
    "Czech": ("cp1250 iso8859-2", "jméno Jiří Plzeň Žofie Dvořák pohlaví žena věk příjmení třída Tomáš Šárka Růžena"),
    "Slovak": ("cp1250 iso8859-2", "meno Ľubomír Žilina Štefan Košice pohlavie žena vek priezvisko ďalší ťažký"),
    "Hungarian": ("cp1250 iso8859-2", "név Erzsébet Győr férfi nő kérdőív születési év Zoltán Szűcs Kovács Gergő"),
    "Turkish": ("cp1254 iso8859-9", "şehir Ayşe İzmir Çağrı Muğla öğrenci yaşı doğum kadın Işık Gökçe sınıf arkadaş"),
    "Lithuanian": ("cp1257", "Živilė Šiauliai Jūratė Panevėžys amžius lytis gimimo mėnuo ąžuolas įmonė švietimas ūkis"),
    "Latvian": ("cp1257", "vārds Jānis Rīga Jūrmala pilsēta dzimšanas mēnesis Kārlis Ēriks ģimene ķirurgs ļoti"),
    "Russian": ("cp1251 koi8-r cp866 iso8859-5", "имя город Иван Москва возраст мужской женский Пётр Сергеевна дата"),
    "Bulgarian": ("cp1251", "име град Георги София възраст пол мъж жена дата на раждане улица адрес Димитър"),
    "Ukrainian": ("cp1251", "ім’я місто Київ Ольга Львів вік стать народження їжа Євген лікарня область"),
    "Greek": ("cp1253 iso8859-7", "όνομα πόλη Γιώργος Αθήνα φύλο ηλικία Μαρία Θεσσαλονίκη ημερομηνία γέννησης Ελένη"),
    "Hebrew": ("cp1255", "שם עיר דוד ירושלים משה חיפה מין גיל תאריך לידה רחוב"),
    "Arabic": ("cp1256", "الاسم المدينة محمد القاهرة العمر الجنس تاريخ الميلاد فاطمة الرياض"),
    "Thai": ("cp874", "ชื่อ เมือง สมชาย กรุงเทพ อายุ เพศ วันเกิด เชียงใหม่ จังหวัด"),
    "Japanese": ("cp932 euc-jp", "氏名 都市 田中さくら 東京 たなか おおさか 性別 年代 郵便番号 検索語 ラーメン 天気"),
    "Chinese": ("gb18030", "姓名 城市 性别 年龄 王小明 北京 上海 广州 出生日期 医院 住院 学校 电话 地址 诊断"),
    "Korean": ("euc-kr", "이름 도시 김철수 서울 부산 나이 성별 생년월일 주소 병원 학교 전화번호 대구광역시"),
}  # fmt: skip


def lines(text: str, encoding: str) -> bytes:
    return "".join(f"{number};{word}\n" for number, word in enumerate(text.split())).encode(encoding)


def outcome(content: bytes) -> str | None:
    """The encoding, or None if it is asked for; a fault of another kind is no name of an encoding."""
    try:
        return recognized(content, complete=True)
    except Fault as fault:
        return None if (fault.rule, fault.pointer) == ("encoding", "/metadata/encoding") else fault.detail


@pytest.mark.parametrize("language", WESTERN)
def test_western_texts_are_read_without_a_question(language):
    content = lines(WESTERN[language], "cp1252")
    assert content.decode(outcome(content)) == content.decode("cp1252")


CASES = [(language, encoding) for language, (encodings, _) in OTHERS.items() for encoding in encodings.split()]


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_other_encodings_are_recognized(language, encoding):
    content = lines(OTHERS[language][1].replace("’", ""), encoding)
    assert content.decode(outcome(content)) == content.decode(encoding)


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_a_few_words_are_read_rightly_or_asked_for(language, encoding):
    # Seeded, so that no run differs: every sample is one that this test has seen.
    rng = random.Random(2)
    words = OTHERS[language][1].replace("’", "").split()
    for _ in range(20):
        content = lines(" ".join(rng.sample(words, 8)), encoding)
        found = outcome(content)
        assert found is None or content.decode(found) == content.decode(encoding)


def test_a_question_names_likely_encodings_and_can_be_answered():
    content = "jméno;město\nJiří;Plzeň\nŽofie;Brno\n".encode("iso8859-2")
    with pytest.raises(Fault, match="state the encoding") as caught:
        sniff("table", {}, "lide.csv", content, True, LIMITS)
    assert "iso8859-2" in caught.value.detail
    assert "Plze" not in caught.value.detail
    seen = sniff("table", {"encoding": "iso-8859-2"}, "lide.csv", content, True, LIMITS)
    table = read_table([content], seen.format, seen.details, LIMITS)
    assert (seen.columns, list(table.columns[1].values)) == (["jméno", "město"], ["Plzeň", "Brno"])


@pytest.mark.parametrize(
    "content", [b"a,b\n\x81\xe9,1\n", bytes(range(0x80, 0x100)) * 3, b"a\n\xa4\xb6\xde\xad\xbe\xef\n"]
)
def test_bytes_of_no_language_are_asked_for(content):
    assert outcome(content) is None


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_every_encoding_may_be_stated(language, encoding):
    text = f"a;b\n{OTHERS[language][1].split()[0]};2\n"
    seen = sniff("table", {"encoding": encoding}, "t.csv", text.encode(encoding), True, LIMITS)
    table = read_table([text.encode(encoding)], seen.format, seen.details, LIMITS)
    assert list(table.columns[0].values) == [OTHERS[language][1].split()[0]]


@pytest.mark.parametrize("language", ["Japanese", "Russian"])
def test_a_character_at_the_end_of_the_beginning_may_be_cut(language):
    encoding = OTHERS[language][0].split()[0]
    content = lines(OTHERS[language][1] * 3, encoding)
    assert [recognized(content[:-cut], complete=False) for cut in range(1, 6)] == [encoding] * 5


def test_the_worker_recognizes_what_comes_after_a_megabyte_of_ascii():
    names = "".join(f"{word},1\n" for word in OTHERS["Polish"][1].split()).encode("cp1250")
    table = read_table([b"a,b\n" + b"x,1\n" * 1000, names], "csv", {"encoding": "auto"}, LIMITS)
    assert "Małgorzata" in table.columns[0].values
