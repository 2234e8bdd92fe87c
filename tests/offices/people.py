"""Invented people, and numbers as authorities give them."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_NAMES = {
    "nl": "Sanne Lotte Femke Anouk Maaike Daan Sem Bram Thijs Jeroen|de Vries,Bakker,van Dijk,Visser,Smit,Meijer,"
    "de Groot,Mulder,Bos,Vos,Peters,Hendriks,van Leeuwen,Dekker,Brouwer,Kok,Jacobs,van der Meer",
    "fr": "Camille Léa Manon Chloé Inès Hugo Théo Étienne Gaël Loïc|Martin,Bernard,Dubois,Thomas,Robert,Petit,Leroy,"
    "Roux,Fournier,Lambert,Bonnet,Lefèvre,Mercier,Guérin,Boyer,Noël,Garnier,Chevalier",
    "de": "Anke Birgit Katrin Monika Sabine Jörg Uwe Holger Stefan Günter|Müller,Schmidt,Schneider,Fischer,Weber,Meyer,"
    "Wagner,Becker,Schulz,Hoffmann,Schäfer,Koch,Bauer,Richter,Klein,Wolf,Schröder,Neumann,Krüger,Weiß",
    "es": "María Carmen Lucía Noelia Begoña Javier Andrés Íñigo Rubén Joaquín|García Pérez,López Ruiz,Sánchez Gil,"
    "Muñoz Peña,Núñez Díez,Gómez Rey,Martín Soto,Ibáñez Mora,Ortega Cano,Castro León,Vega Marín,Ramos Nieto",
    "pt": "Beatriz Inês Mariana Leonor Conceição João Tiago Rui Nuno Gonçalo|Silva,Santos,Ferreira,Pereira,Oliveira,"
    "Costa,Rodrigues,Martins,Sousa,Fernandes,Gonçalves,Gomes,Lopes,Marques,Almeida,Simões,Araújo,Brandão",
    "it": "Giulia Chiara Francesca Elisa Noemi Luca Matteo Niccolò Davide Andrea|Rossi,Russo,Ferrari,Esposito,Bianchi,"
    "Romano,Colombo,Ricci,Marino,Greco,Bruno,Gallo,Conti,De Luca,Costa,Giordano,Rizzo,D'Angelo",
    "pl": "Zofia Agnieszka Małgorzata Katarzyna Ewa Łukasz Paweł Michał Grzegorz Jakub|Nowak,Kowalczyk,Wójcik,Kamiński,"
    "Zieliński,Szymański,Woźniak,Dąbrowski,Kozłowski,Jankowski,Mazur,Krawczyk,Piotrowski,Grabowski,Zając,Król",
    "sv": "Astrid Linnéa Märta Saga Elsa Oskar Björn Håkan Göran Åke|Andersson,Johansson,Karlsson,Nilsson,Eriksson,"
    "Larsson,Olsson,Persson,Svensson,Gustafsson,Lindström,Öberg,Sjögren,Åkesson,Hägg,Björk",
    "cs": "Jana Eliška Tereza Kateřina Zdeňka Jiří Ondřej Tomáš Václav Luděk|Novák,Svoboda,Novotný,Dvořák,Černý,"
    "Procházka,Kučera,Veselý,Horák,Němec,Pokorný,Pospíšil,Hájek,Jelínek,Král,Růžička,Beneš,Fiala",
    "en": "Olivia Amelia Grace Charlotte Megan Oliver George Callum Rhys Dylan|Smith,Jones,Taylor,Brown,Williams,"
    "Wilson,Johnson,Davies,Patel,Wright,Walker,White,Thompson,Edwards,Hughes,Hall,Green,O'Brien,Clarke,Cooper",
    "ro": "Ioana Elena Ștefania Andreea Mădălina Andrei Mihai Ștefan Răzvan Cătălin|Popescu,Ionescu,Popa,Dumitru,Stan,"
    "Stoica,Gheorghe,Matei,Ciobanu,Rusu,Munteanu,Șerban,Lazăr,Țăranu,Ilie,Nistor,Bălan,Oprea",
    "hu": "Anna Zsófia Eszter Réka Boglárka Gábor László Zoltán Ádám Bálint|Nagy,Kovács,Tóth,Szabó,Horváth,Varga,Kiss,"
    "Molnár,Németh,Farkas,Balogh,Papp,Takács,Juhász,Lakatos,Mészáros,Oláh,Simon",
    "tr": "Ayşe Elif Zeynep Çiğdem Gülşah Mehmet Oğuz İbrahim Barış Uğur|Yılmaz,Kaya,Demir,Şahin,Çelik,Yıldız,Yıldırım,"
    "Öztürk,Aydın,Özdemir,Arslan,Doğan,Kılıç,Aslan,Çetin,Kara",
    "el": "Μαρία Ελένη Αικατερίνη Βασιλική Σοφία Γεώργιος Ιωάννης Δημήτριος Κωνσταντίνος Παναγιώτης|Παπαδόπουλος,"
    "Βλάχος,Αγγελόπουλος,Νικολαΐδης,Γεωργίου,Οικονόμου,Παπαγεωργίου,Δημητρίου,Κωνσταντίνου,Μακρής,Λάμπρου",
    "ja": "結衣 陽菜 さくら 美咲 真由美 翔太 大輔 健一 拓也 直樹|"
    "佐藤,鈴木,高橋,田中,伊藤,渡辺,山本,中村,小林,加藤,吉田,山田",
    "hi": "Priya Ananya Kavita Lakshmi Sunita Rahul Amit Vijay Suresh Arjun|Sharma,Verma,Gupta,Iyer,Nair,Reddy,Patil,"
    "Singh,Das,Chatterjee,Joshi,Mehta,Rao,Pillai,Kulkarni,Bhat,Menon,Banerjee",
    "bg": "Мария Елена Десислава Гергана Радка Георги Иван Димитър Николай Петър|Иванов,Георгиев,Димитров,Петров,"
    "Николов,Христов,Стоянов,Тодоров,Илиев,Василев,Атанасов,Ангелов,Колев,Йорданов,Маринов",
}


@dataclass(frozen=True)
class Person:
    """Someone who does not exist."""

    given: str
    family: str
    female: bool
    born: datetime
    place: int
    """Where they live or work, as a number from 0: fewer people live at higher ones."""


def people(chance: random.Random, language: str, count: int, low: int = 1935, high: int = 2004) -> list[Person]:
    """People born in the years from ``low`` to ``high``."""
    given, families = _NAMES[language].split("|")
    firsts, lasts = given.split(), families.split(",")
    found = []
    for _ in range(count):
        first = chance.randrange(len(firsts))
        born = datetime(chance.randint(low, high), 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(365))
        place = min(int(chance.expovariate(0.35)), 11)
        found.append(Person(firsts[first], chance.choice(lasts), first < len(firsts) // 2, born, place))
    return found


def moment(chance: random.Random, form: str, begin: str = "2023-01-01", days: int = 365) -> str:
    """A time of day in the days after ``begin``."""
    start = datetime.fromisoformat(begin).replace(tzinfo=UTC)
    return (start + timedelta(minutes=chance.randrange(days * 1440))).strftime(form)


def repeats(chance: random.Random, count: int, most: int, mean: float) -> list[int]:
    """For each row, the number of its person: everyone has from one to ``most`` rows, most people few."""
    rows = [
        person
        for person in range(count)
        for _ in range(min(most, 1 + int(chance.expovariate(1 / max(mean - 1, 0.01)))))
    ]
    chance.shuffle(rows)
    return rows


def codes(chance: random.Random, low: int, high: int, count: int, form: str = "{}") -> list[str]:
    """Different numbers with gaps, in no order."""
    return [form.format(number) for number in chance.sample(range(low, high), count)]


def comma(value: float, decimals: int = 2, thousands: str = "") -> str:
    """A number with a decimal comma."""
    return f"{value:,.{decimals}f}".replace(",", "\0").replace(".", ",").replace("\0", thousands)


def checked(number: int, letters: str) -> str:
    """A number with its check letter."""
    return f"{number}{letters[number % len(letters)]}"


def some(chance: random.Random, value: str, missing: Sequence[str], share: float) -> str:
    """The value, or now and then a code for its absence."""
    return chance.choice(missing) if chance.random() < share else value


def names(found: Iterable[Person], form: str = "{given} {family}") -> frozenset[str]:
    """Full names in the form in which a file writes them."""
    return frozenset(form.format(given=person.given, family=person.family) for person in found)
