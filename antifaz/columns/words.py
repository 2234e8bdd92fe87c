"""Words: what people call the columns of files about people, in eight languages (`more_words` has others).

English, Spanish, Catalan, French, German, Portuguese, Italian and Polish, without accents and in lower case. A phrase
is a sequence of words that a name must contain in this order; a word that ends in `~` matches all words that start
with it. A phrase after `=` must be the whole name: short words are meaningful only on their own.
"""

from dataclasses import dataclass
from typing import Literal

RoleName = Literal["identifier", "quasi_identifier", "sensitive", "insensitive"]


@dataclass(frozen=True)
class Concept:
    """What a column may be about."""

    name: str
    role: RoleName
    says: str
    """A description, for the reason of the column's role."""
    phrases: str


# The longest phrase that fits a name wins; of equally long ones, that of the concept listed first. What identifies a
# person is listed before what only describes people.
CONCEPTS: tuple[Concept, ...] = (
    Concept(
        "mail",
        "identifier",
        "an e-mail address",
        "mail, email, e mail, mails, correo, correu, courriel, mel electronique, correo electronico, posta"
        " elettronica, electronic mail, correio eletronico, adresse electronique, mailadresse, emailadresse",
    ),
    Concept(
        "phone",
        "identifier",
        "a phone number",
        "phone~, telephone, telefono~, telefon~, tel~fono, telf, tlf~, =tel, tel num~, mobile, =movil, movil"
        " num~, movil telef~, mobil~ num~, =mobil, handy~, rufnummer, cell phone, cellphone, cellulare, celular,"
        " telemovel, portable num~, fax, whatsapp, =movel, telephone portable, tel dom, tel mob, tel travail,"
        " num~ tel~"
        ", nr telefonu, =komorka, numer telefonu",
    ),
    Concept(
        "national_id",
        "identifier",
        "a national or insurance number of a person",
        "dni, nif, nie, =cif, dni nie, nif nie, =id card, passport~, pasaport~, passaport~, passeport, pass nr,"
        " reisepass~, passaporto, national id~, nationalid~, national insurance~, =nino, ssn, social security~,"
        " seguridad social, seguretat social, securite sociale, num~ secu, no secu, =nir, insee num~, =nss,"
        " =naf, =nuss, sozialversicherung~, =svnr, =sv nr, rvnr, steuer id~, steuerid~, steuernummer,"
        " personalausweis~, ausweis~, krankenversicher~ n~, versichertennummer, =kvnr, codice fiscale, cod"
        " fisc~, codfis~, codicefiscale, =cf, tessera sanitaria, cpf, =rg, =nif, bilhete identidade, cartao"
        " cidadao, num~ utente, =sns, numero sns, =cip, cip sns, =tis, tarjeta sanitaria, targeta sanitaria,"
        " =cns, cartao sus, =pis, pis pasep, =niss, =bsn, =pesel, nhs num~, nhs no, =nhs, nhs id, health card~,"
        " medicare num~, medicare id, curp, rfc, =cuil, cuit, =rut, =run, =cc, cedula~, drivers license~, driver"
        " licen~, driving licen~, carnet conducir, permis conduire, patente guida, fuhrerschein~, tax id~,"
        " taxid, tin num~, taxpayer~, contribuente, contribuinte, documento identidad, doc identidad, document"
        " identitat, carta identita, carte identite, num~ documento, document num~, nro doc~, num doc~,"
        " =documento, identity num~, id number, aadhaar, personnummer, ahv~"
        ", pesel, nr dowodu, dowod osobist~, nr paszportu, paszport~, nr ubezpieczen~",
    ),
    Concept(
        "bank_account",
        "identifier",
        "a bank account or a card",
        "iban, =bic, swift, account num~, account no, accountnumber, bank account~, cuenta bancaria, num~"
        " cuenta, compte bancari, compte bancaire, num~ compte, kontonummer, konto nr, bankverbindung, conta"
        " bancaria, num~ conta, conto corrente, =ccc, credit card num~, card num~, card no, cardnumber, num~"
        " tarjeta, =pan, carte bancaire, kreditkarte~, carta credito, cartao credito, =rib",
    ),
    Concept(
        "record_number",
        "identifier",
        "a number of a person's records",
        "patient id~, patient num~, patient no, patientid~, patientnr, patientennummer, patienten id, id"
        " patient~, patient key, =patient, =paciente, =pacient, =paziente, =patienten, id pac~, id paz~,"
        " paciente id, id paciente, cod paciente, codigo paciente, codi pacient, codice paziente, pac id, pat"
        " id, =pid, =mrn, medical record~, record num~, record no, record id, =nhc, nhc, num~ historia, num"
        " hist~, n historia, historia clinica, historia num~, num~ historial, =historia, cartella clinica, num~"
        " cartella, num~ dossier, no dossier, dossier num~, fallnummer, fall nr, fall id, aktenzeichen, fallid,"
        " prontuario, num~ processo, num processo, process num~, num~ expedient~, expediente, num~ pratica, case"
        " id, case num~, case no, caseid, casenum~, admission id, encounter id, visit id, episode id, id"
        " episodi~, num~ episodi~, stay id, hadm id, subject id, subjectid, subject num~, participant id~,"
        " participantid, respondent id~, responseid, response id, respid, person id, personid, persona id, id"
        " persona, cod persona, person key, person num~, person nr, individual id~, id individu~, cod individu~,"
        " member id, memberid, membership num~, customer id~, customerid, custid, cust id, customer num~, client"
        " id, clientid, cliente id, id cliente, cod cliente, codigo cliente, codice cliente, kundennummer,"
        " kunden nr, kunden id, num~ client, user id, userid, account id, employee id, employeeid, employee"
        " num~, emp id, empid, emp no, staff id, staff num~, id empleado, num~ empleado, cod empleado,"
        " matricola, matricula, matricule, =matr, personalnummer, personal nr, mitarbeiternummer, mitarbeiter"
        " id, id dipendente, funcionario id, id alumn~, num~ alumn~, cod alumn~, student id, studentid, student"
        " num~, student no, matrikelnummer, matrikel nr, num~ etudiant, id etudiant, id aluno, num~ expediente,"
        " policy num~, policynumber, num~ poliza, num~ polissa, policennummer, versicherungsnummer, num~"
        " polizza, apolice, licence num~, license num~, licensenum~, num~ licencia, colegiado, num~ colegiado,"
        " num~ socio, num~ soci, mitgliedsnummer, mitglieds nr, order id, order num~, transaction id, invoice"
        " num~, num~ factura, ticket num~, donor id, sample id, specimen id, barcode, voter id, household id, hh"
        " id, hhid, id hogar, id llar, id menage, haushalts id, id famiglia, seqn, serialno, serial num~,"
        " caseno, record key, psid, nummer, =n, =nr, =id, =ids, =uid, =guid, =uuid, =key, =index, =idx,"
        " =rownames, =row names, =row id, =rowid, =unnamed 0, =folio, =codigo, =codi, =registro, =legajo,"
        " identificador, identifier, identifiant, identifikator, identificatore, identificativo, laufnummer, lfd"
        " nr, num~ ordre, num orden, sip, =cod, kennung, kennnummer, =ident, id anonim~, hash id"
        ", nr pacjenta, numer pacjenta, id pacjenta, kod pacjenta, nr klienta, id klienta, nr pracownika"
        ", nr ksiegi, nr historii",
    ),
    Concept(
        "person_name",
        "identifier",
        "the name of a person",
        "name, =names, full name, fullname, first name, firstname, fname, given name~, givenname, forename~,"
        " last name, lastname, lname, surname~, family name, familyname, middle name, middlename, maiden name,"
        " patient name, name patient, name person, person name, customer name, client name, employee name,"
        " student name, staff name, user name real, doctor name, physician name, nurse name, mother name, father"
        " name, contact name, nombre, =nom, nombre apellid~, apellid~, primer apellid~, segundo apellid~,"
        " apellidos nombre, nombres, nom cognom~, cognom~, primer cognom, segon cognom, llinatge~, nom prenom,"
        " prenom~, nom famille, nom patient, nom naissance, nom usage, vorname~, nachname~, familienname~,"
        " geburtsname, zuname, rufname, patientenname, nome, cognome~, nome cognome, cognome nome, sobrenome,"
        " apelido~, nome completo, nombre completo, nom complet, ragione sociale persona, nominativo, titular,"
        " titulaire, medico responsable, medico cabecera, metge, arzt, medico, medecin, medecin traitant,"
        " hausarzt, physician, doctor, surgeon, =alumno, =alumna, =alumne, =eleve, =etudiant, =schuler, =aluno,"
        " =alunno, =studente, =estudiante, =empleado, =trabajador, =cliente, =client, =customer, =employee,"
        " =person, =persona, =personne, =player, =author"
        ", imie, imiona, nazwisko~, imie nazwisko, nazwisko rodowe, drugie imie, lekarz, =pacjent, =klient",
    ),
    Concept(
        "address",
        "identifier",
        "a street address",
        "address, =addr, address line~, street~, home address, domicili~, direccion, =dir, adreca, adresse,"
        " anschrift, wohnadresse, strasse, =str, strassenname, hausnummer, hausnr, rue, voie, num~ voie, calle,"
        " carrer, via, indirizzo, residenza via, endereco, morada, rua, logradouro, house num~, num~ casa, num~"
        " portal, numero civico, piso puerta, residence address, mailing address"
        ", adres~, ulica, nr domu",
    ),
    Concept(
        "online_id",
        "identifier",
        "an address or a name on a network",
        "ip, ip addr~, ipaddress, ip address, =mac, mac addr~, imei, imsi, device id, deviceid, cookie~,"
        " username, user name, =user, =login, login name, nickname, screen name, handle, twitter, facebook,"
        " instagram, linkedin, url, website, web page, homepage, sitio web, pagina web, usuario, =usuari,"
        " utilisateur, benutzer~, utente, session id, advertising id, idfa",
    ),
    Concept(
        "vehicle",
        "identifier",
        "a vehicle or device number",
        "license plate, licence plate, plate num~, =plate, num~ plate, placa, matricula coche, matricula"
        " vehiculo, kennzeichen, immatriculation, targa, =vin, chassis, bastidor, serial number, device serial",
    ),
    Concept(
        "free_text",
        "identifier",
        "free text, which can name anyone",
        "note, notes, notas, nota, comment, comments, comentari~, commentaire~, kommentar~, commento, commenti,"
        " observ~, observacion~, observacions, osservazion~, bemerkung~, anmerkung~, notiz~, remark~, remarque~,"
        " narrative, free text, freetext, texto libre, text lliure, texte libre, freitext, testo libero, texto"
        " livre, description text, anamnes~, epicris~, epikris~, clinical text, informe, informe clinico, report"
        " text, discharge summary, medical notes, feedback, mensaje, message, details text"
        ", uwagi, notatk~, komentarz~, opis tekst",
    ),
    Concept(
        "birth_date",
        "quasi_identifier",
        "a date of birth",
        "birth date, birthdate, birthday, date birth, dateofbirth, dob, d o b, birth year, birthyear, year"
        " birth, yob, birth month, month birth, born, fecha nac~, fec nac~, f nac~, fnac~, fechanac~, fecnac~,"
        " fch nac~, fh nac~, nacimiento fecha, ano nac~, anio nac~, anyo nac~, data naix~, data neix~,"
        " datanaix~, data nac~, any naix~, date naiss~, datenaiss~, dt naiss~, dat naiss~, naissance date, annee"
        " naiss~, ddn, geburtsdatum, geb datum, gebdat~, geburtstag, geburtsjahr, geb jahr, gebjahr, =geb, geb"
        " dat, data nascimento, data nasc~, datanasc~, dt nasc~, dtnasc~, nascimento, ano nasc~, data nascita,"
        " datanascita, nascita data, anno nascita, =nacimiento, =naixement, =naissance, =nascita, date"
        " naissance, dat nasc"
        ", data ur, data urodzen~, rok ur, rok urodzen~, urodzon~",
    ),
    Concept(
        "age",
        "quasi_identifier",
        "an age",
        "age, =ages, age years, age at~, edad, edat, =idade, =eta, eta anni, alter, lebensalter, alter jahre,"
        " patientenalter, age group, agegroup, age band, grupo edad, grup edat, tranche age, altersgruppe, faixa"
        " etaria, fascia eta, classe eta, idade anos, agecat, age cat~, edad anos, agegrp, age yrs, ageyears"
        ", wiek, grupa wiekowa",
    ),
    Concept(
        "sex",
        "quasi_identifier",
        "a person's sex",
        "sex, gender, sexo, sexe, genere, genero, genre, geschlecht, sesso, =gen, =sx, =sexcode, sexe patient,"
        " =gesch, =female, =male, =mujer, =hombre, is male, is female, =femme, =homme, =dona, =home sexe,"
        " =weiblich, =mannlich"
        ", plec",
    ),
    Concept(
        "postal_code",
        "quasi_identifier",
        "a postal code",
        "zip, zipcode, postal code, postalcode, post code, postcode, postal, codigo postal, cod postal,"
        " codpostal, cp, c p, =cpostal, codi postal, code postal, codepostal, code post~, plz, postleitzahl,"
        " =cep, =cap, codice avviamento, cap residenza, cap domicilio, cp paciente, postzip"
        ", kod pocztowy, kod poczt~",
    ),
    Concept(
        "coordinate",
        "quasi_identifier",
        "a place on the map",
        "latitude, longitude, latitud, longitud, latitudine, longitudine, breitengrad, langengrad, =lat, =lon,"
        " =lng, =long, lat lon, latlon, coord~, koordinat~, gps~, geo lat, geo lon, geolocation, geopoint, =x"
        " coord, utm x, utm y",
    ),
    Concept(
        "place",
        "quasi_identifier",
        "a place",
        "city, town, county, =state, us state, state code, district, region, province, municipality,"
        " neighborhood, neighbourhood, borough, village, country, country~, ciudad, municipi~, poblacio~,"
        " localidad, localitat, provinc~, comarca, comunidad autonoma, ccaa, pais, barrio, barri, distrito,"
        " districte, ciutat, villa, =ville, commune, code commune, departement, dept, pays, quartier,"
        " arrondissement, stadt, ort, wohnort, gemeinde~, kreis, landkreis, bundesland, =land, stadtteil,"
        " bezirk, cidade, concelho, freguesia, bairro, =uf, =estado, comune, provincia, regione, citta, paese,"
        " stato residenza, quartiere, nuts, nuts~, lau, census tract, tract, block group, fips, ine mun~,"
        " codmun~, cod mun~, codine, codigo ine, insee, code insee, istat, residence, residencia, wohnsitz,"
        " hometown, birthplace, birth place, place birth, native country, lugar nac~, lloc naix~, lieu naiss~,"
        " geburtsort, luogo nascita, naturalidade, pays naiss~, pais nac~, geburtsland, sector censal, seccion"
        " censal, seccio censal, centro salud, abs, area basica, health area"
        ", localidade, miejscowosc, miasto, gmina, powiat, wojewodztwo, miejsce zamieszkan~",
    ),
    Concept(
        "nationality",
        "quasi_identifier",
        "a nationality or an origin",
        "nationality, nacionalidad, nacionalitat, nationalite, nationalitat, staatsangehorigkeit,"
        " staatsburgerschaft, nacionalidade, nazionalita, cittadinanza, citizenship, ciudadania, race,"
        " ethnicity, ethn~, etnia, etnic~, raza, raca, razza, ethnie, herkunft, migrationshintergrund, origin"
        " country, origen, immigrant, language, idioma, llengua, langue, sprache, muttersprache, lingua, mother"
        " tongue, native language"
        ", narodowosc, obywatelstwo",
    ),
    Concept(
        "marital_status",
        "quasi_identifier",
        "a marital status",
        "marital~, marstat, mar stat~, married, civil status, estado civil, estat civil,"
        " situation famil~, situation matrim~, etat civil, familienstand, stato civile, spouse, conjuge,"
        " conyuge, =mar status, partner status"
        ", stan cywilny",
    ),
    Concept(
        "education",
        "quasi_identifier",
        "a level of education",
        "education~, school level, schooling, degree, =educ, estudios, nivel estudios, nivel educ~, nivell"
        " estudis, estudis, niveau etude~, diplome, bildung~, schulabschluss, abschluss, escolaridad~,"
        " instrucao, grau instr~, titolo studio, istruzione, years school~, =edu, highest grade, nivel"
        " formacion, anos estudio",
    ),
    Concept(
        "occupation",
        "quasi_identifier",
        "an occupation",
        "occupation~, job title, =job, profession, employer, workclass, employment~, job category, isco, soc"
        " code, cno, profesion, ocupacion, empleo, puesto, situacion laboral, professio, ocupacio, feina,"
        " metier, emploi, employeur, csp, beruf~, tatigkeit, arbeitgeber, profissao, ocupacao, cbo, emprego,"
        " professione, impiego, mestiere, lavoro, industry, sector actividad, cnae, nace, department,"
        " departamento, abteilung, =title, rank"
        ", zawod, =zawod wykonywany, stanowisko",
    ),
    Concept(
        "household",
        "quasi_identifier",
        "the household of a person",
        "household size, hh size, num~ children, children, =kids, family size, n children, relationship,"
        " dependents, hijos, num~ hijos, fills, nombre enfants, enfants, kinder, kinderzahl, haushaltsgrosse,"
        " filhos, figli, miembros hogar, siblings, =sibsp, =parch, pregnan~, tamano hogar",
    ),
    Concept(
        "event_date",
        "quasi_identifier",
        "a date in a person's life",
        "date, fecha, =fec, fec~, data, datum, =dt, dt~, day, admission date, discharge date, date~, fecha~,"
        " datum~, visit date, timestamp, time stamp, datetime, death, dod, fallecim~, defunc~, deces, tod,"
        " todesdatum, obito, morte, decesso, admission, discharge, ingreso, alta, ingres, entree, sortie,"
        " aufnahme, entlassung, internamento, internacao, ricovero, dimissione, aufnahmedatum, entlassungsdatum,"
        " entlassdatum, created at, year, hour, month, =ano, =any, =annee, =jahr, =anno, =mes, =mois, =monat,"
        " =mese",
    ),
    Concept(
        "diagnosis",
        "sensitive",
        "a diagnosis",
        "diagnos~, diag, =dx, dx~, icd, icd~, cie, cie10, cie~, cid, cid10, cim, cim10, disease, enfermedad,"
        " malaltia, maladie, krankheit, erkrankung, doenca, malattia, patolog~, patholog~, condition, comorbid~,"
        " illness, hauptdiagnose, nebendiagnose, drg, grd, cause death, causa muerte, causa mort, todesursache,"
        " cause deces, symptom~, sintoma~, allerg~, alerg~, cancer, diabet~, hiv, vih, covid~, depress~, tumor,"
        " smok~, fumador~, alcohol, drug use, disability, discapacidad, discapacitat, handicap, behinderung,"
        " deficiencia, disabilita",
    ),
    Concept(
        "treatment",
        "sensitive",
        "a treatment",
        "treatment, therapy, tratamiento, tractament, traitement, behandlung, therapie, tratamento,"
        " trattamento, terapia, medication, medicacion, medicament~, medikament~, farmac~, medicamento, drug,"
        " procedure, surgery, procedimiento, ops code, intervencion, prescri~, receta, vaccin~, vacuna~, impf~",
    ),
    Concept(
        "measurement",
        "sensitive",
        "a result about a person",
        "blood pressure, bmi, imc, glucos~, gluc~, cholest~, colesterol, hemoglobin~, tension arterial, blood,"
        " pressure, heart rate, hba1c, creatinin~, lab result, result~, resultado~, resultat~, ergebnis, befund,"
        " risultato, esito, outcome, =death, =deceased, exitus, =dead, score, grade, grades, mark, marks,"
        " calificacion, qualificacio, =nota media, voto, zensur, =nota, nota final, =survived, =target,"
        " mortality, length stay, los",
    ),
    Concept(
        "money",
        "sensitive",
        "money that a person has, earns or owes",
        "salary, salario, salari, salaire, gehalt, lohn, stipendio, ordenado, income, ingresos, renta, renda,"
        " revenu, einkommen, rendimento, reddito, wage, wages, earnings, sueldo, sou, pay, debt, deuda, dette,"
        " schulden, divida, debito, loan, prestamo, credit, default, balance, saldo, benefit~, pension,"
        " subsidio, capital gain, capital loss, wealth, importe, import, montant, betrag, importo, coste, cost,"
        " charges, price paid, expenditure",
    ),
    Concept(
        "belief",
        "sensitive",
        "a belief or a private matter",
        "religion, religio, konfession, religione, religiao, political~, party vote, partido, partei, parti"
        " politique, vote, voto politico, union member, sindicat~, gewerkschaft, sexual~, orientation,"
        " orientacion, crime, delito, delicte, offence, offense, offen~, conviction, condena, straftat, reato,"
        " arrest~, violen~, abuse",
    ),
)
"""From the most to the least specific: a name that fits several concepts is about the first."""

NOT_OF_PEOPLE = frozenset(
    "hospital product drug brand file company school city country region model item dish street ward department"
    " species column table test project event team song movie film title category class group type variable"
    " field producto empresa centro escuela archivo hospitalaria fabricante marca calle ciudad servicio produit"
    " entreprise etablissement service ecole fichier firma produkt schule krankenhaus station datei kategorie"
    " empresa produto escola arquivo azienda prodotto scuola reparto ospedale genero tipo clase grupo program"
    " programa dataset study provincia municipio comune commune gemeinde ort land pais pays paese stadt ville"
    " car plant tree food".split()
)
"""Words next to *name* that show that it is the name of a thing."""

VAGUE = frozenset(
    "medico doctor physician surgeon arzt metge medecin titular titulaire n"
    " nr id ids key index idx cod codigo codi registro folio nummer ident alumno alumna alumne eleve etudiant"
    " schuler aluno alunno studente estudiante empleado trabajador cliente client customer employee person"
    " persona personne player author patient paciente pacient paziente patienten historia legajo kennung user"
    " login usuari handle url website".split()
)
"""Words that refer to a person only if there are many values: few values are categories."""

ABOUT = frozenset(
    "of the de del la el los las le les du des d di della der die das von do da dos em en in l y e und et i".split()
)
"""Words that join others and have no meaning by themselves."""
