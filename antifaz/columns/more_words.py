"""More words: the columns that must not be missed, in fifteen more languages.

Dutch, Swedish, Danish, Norwegian, Finnish, Czech, Slovak, Hungarian, Romanian, Croatian, Turkish, Greek, Russian,
Ukrainian and Japanese: what identifies people, and what many people know about others. The notation is that of `words`.
"""

PHRASES: dict[str, str] = {
    "mail": (
        "epost~, e post~, sahkoposti~, emailova adresa, eposta~, e posta, posta electronica, почта, эл почта, "
        "электронная почта, пошта, メール, メールアドレス, ηλεκτρονικο ταχυδρομειο"
    ),
    "phone": (
        "puhelin~, puh nro, telefoon~, telefonszam, =gsm, gsm num~, matkapuhelin, mobiltel~, mobilni, cep tel~, "
        "telefon numarasi, =mob, mobiel~, τηλεφωνο, κινητο, телефон~, тел, моб, 電話, 電話番号, 携帯"
    ),
    "national_id": (
        "burgerservicenummer, =bsn nr, rijksregister~, personnr, person nr, personnummer~, fodselsnummer, "
        "fodselsnr, cpr, cpr n~, =hetu, henkilotunnus, rodne cislo, =rc, rodne c, obciansky preukaz, cislo op, "
        "taj, taj szam, adoazonosito, szemelyi szam, szemelyi ig~, =cnp, cod numeric personal, serie buletin, "
        "oib, jmbg, tc kimlik~, tckn, kimlik no, kimlik numarasi, vergi no, αφμ, αμκα, αδτ, ταυτοτητα, паспорт~, "
        "снилс, инн, полис, рнокпп, マイナンバー, 個人番号, 免許証番号, 保険証番号, kennitala, egn"
    ),
    "bank_account": (
        "rekeningnummer, rekening nr, bankrekening, kontonummer~, tilinumero, cislo uctu, cislo u, bankszamla~, "
        "szamlaszam, cont bancar, nr cont, broj racuna, hesap no, iban no, расчетный счет, номер счета, "
        "номер карты, 口座番号, αριθμος λογαριασμου, kortnummer, konto num~"
    ),
    "record_number": (
        "id pessoa, pessoa id, cod pessoa, codigo pessoa, num~ pessoa, id individuo, id entrevistad~, "
        "id encuestad~, num~ encuestad~, id enquete~, num~ enquete~, id repondant, id participante, id sujeto, "
        "id sujet, id usuario, id utilisateur, id utente, cod utente, id assistito, id studente, id socio, "
        "id persona~, id person~, identificativo, person num~, persoon~, persoonsnummer, deelnemer~, "
        "respondent~, =resp, resp n~, resp id, clientnr, clientnummer, client nummer, patientnr, patient nr, "
        "leerling~, studentnummer, medewerker~ n~, personeels~ n~, relatienummer, lidnummer, dossiernummer, "
        "zaaknummer, huishoud~ n~, =hhnr, pasnummer, pas nr, kaartnummer, kundnummer, kundnr, kund id, "
        "patientnummer, elevnummer, elev id, anstallningsnummer, medlemsnummer, medlemsnr, deltagar~, deltager~, "
        "lopnummer, lopnr, arendenummer, diarienummer, journalnummer, journalnr, sagsnummer, sagsnr, kundenr, "
        "elevnr, ansattnr, ansatt id, asiakas~, asiakasnumero, potilas~, potilasnumero, oppilas~ n~, oppilas id, "
        "opiskelija~, henkilo id, henkilonumero, jasennumero, vastaaja~, tapausnumero, tunniste, tunnus, "
        "pacient id, id pacienta, cislo pacienta, id klienta, cislo klienta, klient id, id osoby, cislo osoby, "
        "id zaka, cislo zaka, id studenta, osobni cislo, rodinne cislo, cislo jednaci, spisova znacka, "
        "id respondenta, cislo respondenta, beteg~ id, betegazonosito, betegszam, paciens~, ugyfel~, ugyfelszam, "
        "azonosito, tanulo azonosito, dolgozo~ sz~, torzsszam, valaszado~, sorszam, ugyszam, cod pacient, "
        "id client, id angajat, marca angajat, nr dosar, nr matricol, id elev, cod persoana, id persoana, "
        "sifra pacijenta, id osobe, maticni broj, mbo, hasta no, hasta id, protokol no, dosya no, musteri no, "
        "musteri id, ogrenci no, sicil no, personel no, kisi id, katilimci~, abone no, uye no, κωδικος ασθενη, "
        "κωδικος πελατη, αριθμος μητρωου, κωδικος ατομου, αα, ид пациента, номер пациента, код пациента, "
        "id пациента, номер карты пациента, номер истории болезни, табельный номер, код клиента, номер клиента, "
        "номер дела, 患者番号, 患者id, 社員番号, 学籍番号, 学生番号, 顧客番号, 会員番号, 受付番号, 識別番号, "
        "=番号, 個人id, badge, badge id, badge num~, tag id, card id, case reference, case ref, case number, "
        "nr akt, sygnatura, numer sprawy, numer klienta, numer pracownika, nr ucznia, id ucznia, nr respondenta, "
        "id respondent~, actenummer, aktennummer, fallnr, schulernummer, probanden~, proband, pseudonym~, "
        "pseudonimo, study id, studienid, subjekt~ id, num~ assure, num~ allocataire, num~ adherent, "
        "id adherent, id patient~, id salarie, num~ salarie, id eleve, person key, pers id, persid, persnr, pnr, "
        "=pid nr, panelist~, panel id, worker id, voter num~, elector num~, num~ elector, meter id, "
        "zahlernummer, contrato num~, num~ contrato, contract num~, num~ contrat, contratto num~"
    ),
    "person_name": (
        "naam, voornaam, achternaam, voorletters, tussenvoegsel, roepnaam, meisjesnaam, =namn, fornamn, "
        "efternamn, tilltalsnamn, =navn, fornavn, etternavn, efternavn, mellomnavn, =nimi, etunimi, sukunimi, "
        "=jmeno, prijmeni, krestni jmeno, =meno, priezvisko, =nev, vezeteknev, keresztnev, csaladnev, "
        "anyja neve, =nume, prenume, nume familie, =ime, prezime, =ad, =adi, soyad~, ad soyad~, isim, ονομα, "
        "επωνυμο, ονοματεπωνυμο, πατρωνυμο, =имя, фамилия, отчество, фио, прізвище, ім'я, 氏名, 名前, 姓, 名, "
        "患者名, 担当者, 担当医, docent~, leraar, leerkracht, huisarts, behandelaar, =arts, larare, lakare, "
        "opettaja, laakari, lekar, ucitel~, orvos~, tanar~, profesor~, professor~, teacher, enseignant~, "
        "lehrer~, insegnante, nauczyciel~, ogretmen, doktor, kontaktperson, contact person, witness, temoin, "
        "testigo, zeuge, testimone, testemunha, getuige, mentor, caseworker, sachbearbeiter~, bearbeiter, "
        "interviewer~, encuestador, enqueteur, enquetrice, ankieter~, judge, juge, juez, richter, giudice, juiz, "
        "sedzia, "
        "=provare, provningsledare, investigator~, examiner~, surveyor~, inspector~, =operator, operador~, operatore~, "
        "operateur~, operatrice, tecnico, tecnica responsable, technician, technicien~, therapist~, terapeut~, "
        "therapeut~, caseworker~, case worker, socionom, handlaggare, sagsbehandler, kasittelija, referent~, zapisal, "
        "θεραπων~, θεραπευτης, ιατρος, γιατρος, καθηγητης, лечащий врач, врач, учитель, преподаватель, исполнитель, "
        "оператор, cashier, cajero, caissier, kassierer, cassiere, nurse, enfermer~, infirmier~, pfleger~, infermier~"
    ),
    "address": (
        "adres, woonadres, straat~, straatnaam, huisnummer, huisnr, =adress, gatuadress, =gata, =gade, =vej, "
        "=gate, osoite, katuosoite, =ulice, cislo popisne, bydliste, =cim, lakcim, utca, hazszam, strada, =bloc, "
        "=ulica, kucni broj, =adres satiri, sokak, cadde, διευθυνση, οδος, =адрес, улица, дом, 住所, 番地"
    ),
    "birth_date": (
        "geboortedatum, geboortejaar, geb datum, fodelsedatum, fodelsear, fodselsdato, fodt, fodselsaar, "
        "syntymaaika, syntymavuosi, syntymapaiva, datum narozeni, rok narozeni, narozen~, datum narodenia, "
        "szuletesi~, szul~, data nasterii, an nastere, nascut, datum rodenja, godina rodenja, dogum tarihi, "
        "dogum yili, dogum~, ημερομηνια γεννησης, ημ γεννησης, ετος γεννησης, дата рождения, год рождения, "
        "дата народження, 生年月日, 誕生日, 生年"
    ),
    "age": (
        "leeftijd~, =alder, =ika, ikaryhma, =vek, vekova~, eletkor, =kor, varsta, =yas, ηλικια, возраст, вік, "
        "年齢, 年代"
    ),
    "sex": (
        "geslacht, =kon, =kjonn, sukupuoli, pohlavi, pohlavie, =neme, =nem, =sex m f, cinsiyet, =spol, φυλο, "
        "=пол, стать, 性別"
    ),
    "postal_code": (
        "=pc4, =pc6, =pc, postcode~, postnummer, postnr, postinumero, =psc, iranyitoszam, irsz, cod postal~, "
        "postanski broj, posta kodu, ταχυδρομικος κωδικας, =τκ, индекс, почтовый индекс, 郵便番号"
    ),
    "place": (
        "gemeente~, woonplaats, =plaats, provincie, =wijk, =buurt, kommun~, =lan, =ort, fylke, kunta, kaupunki, "
        "maakunta, =obec, =mesto, =okres, =kraj, telepules, varos, megye, localitate, =judet, =oras, =grad, "
        "opcina, =il, =ilce, mahalle, δημος, πολη, νομος, περιοχη, город, область, район, місто, 市町村, "
        "都道府県, 市区町村, 地域"
    ),
    "nationality": (
        "nationaliteit, herkomst, nationalitet, statsborgerskab, kansalaisuus, aidinkieli, obcanstvi, narodnost, "
        "allampolgarsag, cetatenie, drzavljanstvo, uyruk, εθνικοτητα, υπηκοοτητα, национальность, гражданство, "
        "国籍"
    ),
    "marital_status": (
        "burgerlijke staat, civilstand, sivilstand, civilstatus, siviilisaaty, rodinny stav, csaladi allapot, "
        "stare civila, bracno stanje, medeni hal~, οικογενειακη κατασταση, семейное положение, 婚姻"
    ),
    "education": (
        "opleiding~, onderwijsniveau, utbildning~, utdanning, uddannelse, koulutus, vzdelani, vzdelanie, "
        "vegzettseg, iskolai vegz~, studii, obrazovanje, ogrenim, egitim~, εκπαιδευση, образование, освіта, 学歴"
    ),
    "occupation": (
        "beroep~, =functie, yrke, yrkeskod, stilling, erhverv, ammatti, tyonantaja, povolani, zamestnani, "
        "foglalkozas, munkakor, ocupatie, profesie, zanimanje, meslek, επαγγελμα, профессия, должность, 職業, "
        "職種"
    ),
    "event_date": (
        "opnamedatum, ontslagdatum, =dato, paiva, paivamaara, =pvm, =tidpunkt, datum prijeti, datum propusteni, "
        "=datumcas, datuma, =ido, idopont, felvetel, elbocsatas, =tarih, yatis tarihi, cikis tarihi, ημερομηνια, "
        "дата, 日付, 日時, 入院日, 退院日, 年月日"
    ),
}
"""Phrases of each concept, beside those of `words`."""

CODE_WORDS = frozenset(
    "cislo szam szama sz azonosito broj numara numarasi numaralari numero nummer nro nr tunnus tunniste koodi kodu kod"
    " sifra sorszam αριθμος κωδικος номер код ид".split()
)
"""Words for *number* and *code*."""
