# ruff: noqa: FBT003 - the rows below are data: the tuples above name their columns
"""The words of the synthetic hospital: departments, diagnoses, procedures, names, places.

Names of people, hospitals and manufacturers are made up.
"""

from __future__ import annotations

from typing import NamedTuple


class Department(NamedTuple):
    """`kind`: D ward, I intensive care, A outpatient clinic."""

    code: str
    name: str
    kind: str
    site: str
    beds: int | None
    active: bool = True


class Diagnosis(NamedTuple):
    """`weight`: how often it is the principal one among the admissions of its category."""

    code: str
    name: str
    category: str
    chronic: bool | None
    weight: float


class Procedure(NamedTuple):
    code: str
    name: str
    category: str
    invasive: bool


SAN_MARCO, SANTA_LUCIA = "Ospedale San Marco", "Ospedale Santa Lucia"

DEPARTMENTS = (
    Department("CAR01", "Cardiologia", "D", SAN_MARCO, 38),
    Department("CAR02", "Terapia intensiva cardiologica", "I", SAN_MARCO, 10),
    Department("CAR03", "Elettrofisiologia", "D", SAN_MARCO, 14),
    Department("CAR04", "Emodinamica", "D", SAN_MARCO, 6),
    Department("CCH01", "Cardiochirurgia", "D", SAN_MARCO, 20),
    Department("CAR05", "Cardiologia Santa Lucia", "D", SANTA_LUCIA, 18),
    Department("MED01", "Medicina interna", "D", SANTA_LUCIA, 30),
    Department("GER01", "Geriatria", "D", SANTA_LUCIA, 24),
    Department("RIA01", "Riabilitazione cardiologica", "D", SANTA_LUCIA, 16),
    Department("CAR06", "Unità coronarica", "I", SANTA_LUCIA, 4, active=False),
    Department("AMB01", "Ambulatorio cardiologia generale", "A", SAN_MARCO, None),
    Department("AMB02", "Ambulatorio aritmie", "A", SAN_MARCO, None),
    Department("AMB03", "Ambulatorio scompenso", "A", SAN_MARCO, None),
    Department("AMB04", "Ambulatorio dispositivi", "A", SAN_MARCO, None),
    Department("AMB05", "Ambulatorio Santa Lucia", "A", SANTA_LUCIA, None),
)

ARRHYTHMIA, CONDUCTION, ISCHAEMIC = "Aritmie", "Disturbi della conduzione", "Cardiopatia ischemica"
FAILURE, VALVES, MYOPATHY = "Scompenso cardiaco", "Valvulopatie", "Cardiomiopatie"
OTHER_CARDIAC, OTHER = "Altre malattie cardiovascolari", "Altro"
CATEGORIES = (
    ARRHYTHMIA,
    CONDUCTION,
    ISCHAEMIC,
    FAILURE,
    VALVES,
    MYOPATHY,
    OTHER_CARDIAC,
    OTHER,
)

DIAGNOSES = (
    Diagnosis("427.31", "Fibrillazione atriale", ARRHYTHMIA, True, 50),
    Diagnosis("427.32", "Flutter atriale", ARRHYTHMIA, False, 22),
    Diagnosis("427.0", "Tachicardia parossistica sopraventricolare", ARRHYTHMIA, False, 11),
    Diagnosis("427.1", "Tachicardia ventricolare parossistica", ARRHYTHMIA, False, 7),
    Diagnosis("427.89", "Tachicardia atriale", ARRHYTHMIA, False, 5),
    Diagnosis("427.69", "Extrasistolia ventricolare", ARRHYTHMIA, None, 4),
    Diagnosis("426.7", "Sindrome di Wolff-Parkinson-White", ARRHYTHMIA, True, 3),
    Diagnosis("427.41", "Fibrillazione ventricolare", ARRHYTHMIA, False, 2),
    Diagnosis("427.5", "Arresto cardiaco", ARRHYTHMIA, False, 1),
    Diagnosis("426.0", "Blocco atrioventricolare completo", CONDUCTION, True, 34),
    Diagnosis("427.81", "Malattia del nodo del seno", CONDUCTION, True, 30),
    Diagnosis("426.13", "Blocco atrioventricolare di secondo grado", CONDUCTION, True, 20),
    Diagnosis("426.3", "Blocco di branca sinistra", CONDUCTION, True, 7),
    Diagnosis("426.4", "Blocco di branca destra", CONDUCTION, True, 3),
    Diagnosis("410.71", "Infarto miocardico acuto NSTEMI", ISCHAEMIC, False, 38),
    Diagnosis("411.1", "Angina instabile", ISCHAEMIC, False, 27),
    Diagnosis("410.11", "Infarto miocardico acuto STEMI anteriore", ISCHAEMIC, False, 11),
    Diagnosis("410.41", "Infarto miocardico acuto STEMI inferiore", ISCHAEMIC, False, 8),
    Diagnosis("414.01", "Aterosclerosi coronarica", ISCHAEMIC, True, 11),
    Diagnosis("413.9", "Angina pectoris", ISCHAEMIC, True, 5),
    Diagnosis("428.0", "Scompenso cardiaco congestizio", FAILURE, True, 72),
    Diagnosis("428.23", "Scompenso cardiaco sistolico acuto su cronico", FAILURE, True, 10),
    Diagnosis("428.33", "Scompenso cardiaco diastolico acuto su cronico", FAILURE, True, 8),
    Diagnosis("428.21", "Scompenso cardiaco sistolico acuto", FAILURE, False, 6),
    Diagnosis("402.91", "Cardiopatia ipertensiva con scompenso cardiaco", FAILURE, True, 4),
    Diagnosis("424.1", "Stenosi aortica", VALVES, True, 50),
    Diagnosis("424.0", "Insufficienza mitralica", VALVES, True, 33),
    Diagnosis("424.2", "Insufficienza tricuspidale", VALVES, True, 11),
    Diagnosis("394.0", "Stenosi mitralica", VALVES, True, 6),
    Diagnosis("425.4", "Cardiomiopatia dilatativa", MYOPATHY, True, 55),
    Diagnosis("425.1", "Cardiomiopatia ipertrofica", MYOPATHY, True, 30),
    Diagnosis("425.7", "Amiloidosi cardiaca", MYOPATHY, True, 15),
    Diagnosis("780.2", "Sincope e collasso", OTHER_CARDIAC, None, 34),
    Diagnosis("401.9", "Ipertensione arteriosa essenziale", OTHER_CARDIAC, True, 20),
    Diagnosis("420.91", "Pericardite acuta", OTHER_CARDIAC, False, 16),
    Diagnosis("415.19", "Embolia polmonare", OTHER_CARDIAC, False, 13),
    Diagnosis("422.91", "Miocardite acuta", OTHER_CARDIAC, False, 9),
    Diagnosis("421.0", "Endocardite batterica acuta", OTHER_CARDIAC, False, 5),
    Diagnosis("441.4", "Aneurisma dell'aorta addominale", OTHER_CARDIAC, True, 3),
    Diagnosis("786.50", "Dolore toracico", OTHER, None, 38),
    Diagnosis("785.1", "Palpitazioni", OTHER, None, 20),
    Diagnosis("250.00", "Diabete mellito tipo 2", OTHER, True, 14),
    Diagnosis("585.9", "Insufficienza renale cronica", OTHER, True, 12),
    Diagnosis("496", "Broncopneumopatia cronica ostruttiva", OTHER, True, 10),
    Diagnosis("272.4", "Iperlipidemia", OTHER, True, 6),
)

PROCEDURES = (
    Procedure("37.34", "Ablazione transcatetere di aritmia", "ablazione", True),
    Procedure("37.33", "Ablazione chirurgica di aritmia", "ablazione", True),
    Procedure("37.34A", "Isolamento delle vene polmonari", "ablazione", True),
    Procedure("37.26", "Studio elettrofisiologico", "elettrofisiologia diagnostica", True),
    Procedure("37.27", "Mappaggio elettroanatomico", "elettrofisiologia diagnostica", True),
    Procedure("37.99", "Puntura transettale", "elettrofisiologia diagnostica", True),
    Procedure("99.62", "Cardioversione elettrica", "cardioversione", False),
    Procedure("99.69", "Cardioversione farmacologica", "cardioversione", False),
    Procedure("37.83", "Impianto di pacemaker", "impianto dispositivo", True),
    Procedure("37.94", "Impianto di defibrillatore", "impianto dispositivo", True),
    Procedure("00.50", "Impianto di pacemaker biventricolare", "impianto dispositivo", True),
    Procedure("00.51", "Impianto di defibrillatore biventricolare", "impianto dispositivo", True),
    Procedure("37.79", "Impianto di loop recorder", "impianto dispositivo", True),
    Procedure("88.56", "Coronarografia", "emodinamica", True),
    Procedure("00.66", "Angioplastica coronarica", "emodinamica", True),
    Procedure("36.10", "Bypass aortocoronarico", "chirurgia", True),
    Procedure("35.21", "Sostituzione della valvola aortica", "chirurgia", True),
    Procedure("35.12", "Plastica della valvola mitrale", "chirurgia", True),
    Procedure("88.72", "Ecocardiogramma", "diagnostica non invasiva", False),
    Procedure("89.50", "Monitoraggio Holter", "diagnostica non invasiva", False),
    Procedure("89.41", "Test da sforzo", "diagnostica non invasiva", False),
)

SURNAMES = [
    "Abbiati",
    "Acquadro",
    "Aimone",
    "Albarello",
    "Aliberti",
    "Ambrogio",
    "Anfossi",
    "Arduino",
    "Balocco",
    "Barbero",
    "Bava",
    "Bellezza",
    "Beltramo",
    "Berruti",
    "Bianco",
    "Boero",
    "Bonino",
    "Borgogno",
    "Bosio",
    "Brunetti",
    "Calosso",
    "Camerano",
    "Canale",
    "Cappa",
    "Caramello",
    "Carena",
    "Casale",
    "Castagno",
    "Cavallero",
    "Ceresole",
    "Chiappero",
    "Colombano",
    "Conterno",
    "Corino",
    "Costamagna",
    "Cravero",
    "Dalmasso",
    "Danna",
    "Delpiano",
    "Demaria",
    "Dogliani",
    "Fasano",
    "Ferraris",
    "Filippi",
    "Fissore",
    "Forneris",
    "Fresia",
    "Gallesio",
    "Gambino",
    "Garelli",
    "Gastaldi",
    "Ghione",
    "Giordanengo",
    "Girardi",
    "Grasso",
    "Grosso",
    "Isoardi",
    "Lanfranco",
    "Lerda",
    "Lisa",
    "Lovera",
    "Manassero",
    "Marchisio",
    "Mellano",
    "Merlo",
    "Milanesio",
    "Molino",
    "Monge",
    "Morello",
    "Musso",
    "Nasi",
    "Oberto",
    "Olivero",
    "Origlia",
    "Paschetta",
    "Pellegrino",
    "Peirone",
    "Perotti",
    "Pistone",
    "Porta",
    "Quaranta",
    "Racca",
    "Rapalino",
    "Ravera",
    "Ribero",
    "Rinaudo",
    "Rosso",
    "Sacchi",
    "Salomone",
    "Sartoris",
    "Scaglia",
    "Serra",
    "Sismondi",
    "Tallone",
    "Taricco",
    "Testa",
    "Toselli",
    "Trossarello",
    "Valsania",
    "Vassallo",
    "Verna",
    "Viglione",
    "Zanusso",
]
NAMES_M = [
    "Aldo",
    "Andrea",
    "Angelo",
    "Antonio",
    "Bruno",
    "Carlo",
    "Claudio",
    "Dario",
    "Davide",
    "Domenico",
    "Enrico",
    "Fabio",
    "Federico",
    "Felice",
    "Francesco",
    "Franco",
    "Gianni",
    "Giorgio",
    "Giovanni",
    "Giuseppe",
    "Guido",
    "Lorenzo",
    "Luca",
    "Luciano",
    "Luigi",
    "Marco",
    "Mario",
    "Matteo",
    "Michele",
    "Nicola",
    "Paolo",
    "Piero",
    "Renato",
    "Riccardo",
    "Roberto",
    "Sergio",
    "Silvio",
    "Stefano",
    "Ugo",
    "Vincenzo",
]
NAMES_F = [
    "Ada",
    "Adriana",
    "Alessandra",
    "Anna",
    "Antonella",
    "Bruna",
    "Carla",
    "Caterina",
    "Chiara",
    "Clara",
    "Claudia",
    "Cristina",
    "Daniela",
    "Elena",
    "Elisa",
    "Emma",
    "Franca",
    "Francesca",
    "Gabriella",
    "Giovanna",
    "Giulia",
    "Giuseppina",
    "Ines",
    "Irene",
    "Laura",
    "Lucia",
    "Luisa",
    "Margherita",
    "Maria",
    "Marta",
    "Michela",
    "Nadia",
    "Paola",
    "Piera",
    "Rita",
    "Rosa",
    "Silvia",
    "Sofia",
    "Teresa",
    "Vittoria",
]

# comune, provincia, regione, weight
PLACES = (
    ("Torino", "TO", "Piemonte", 26.0),
    ("Moncalieri", "TO", "Piemonte", 6.0),
    ("Rivoli", "TO", "Piemonte", 5.0),
    ("Chieri", "TO", "Piemonte", 4.0),
    ("Pinerolo", "TO", "Piemonte", 4.0),
    ("Carmagnola", "TO", "Piemonte", 3.0),
    ("Cuneo", "CN", "Piemonte", 9.0),
    ("Alba", "CN", "Piemonte", 5.0),
    ("Fossano", "CN", "Piemonte", 4.0),
    ("Savigliano", "CN", "Piemonte", 3.0),
    ("Asti", "AT", "Piemonte", 9.0),
    ("Nizza Monferrato", "AT", "Piemonte", 3.0),
    ("Alessandria", "AL", "Piemonte", 5.0),
    ("Casale Monferrato", "AL", "Piemonte", 2.0),
    ("Vercelli", "VC", "Piemonte", 2.0),
    ("Biella", "BI", "Piemonte", 1.5),
    ("Novara", "NO", "Piemonte", 1.5),
    ("Aosta", "AO", "Valle d'Aosta", 1.5),
    ("Savona", "SV", "Liguria", 2.0),
    ("Imperia", "IM", "Liguria", 1.0),
    ("Milano", "MI", "Lombardia", 1.0),
    ("Pavia", "PV", "Lombardia", 0.5),
)

MONTH_NAMES = [
    "gennaio",
    "febbraio",
    "marzo",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "agosto",
    "settembre",
    "ottobre",
    "novembre",
    "dicembre",
]
DAY_NAMES = ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"]
FIXED_HOLIDAYS = frozenset({101, 106, 425, 501, 602, 815, 1101, 1208, 1225, 1226})  # month*100+day

# name, model family, weight
MAKERS = (
    ("Cardionova", "Aurea", 0.39),
    ("Ritmotec", "Passo", 0.26),
    ("Medipulse", "Vega", 0.16),
    ("Elettra Cardio", "Onda", 0.10),
    ("Biosinus", "Delta", 0.06),
    ("Nordcor", "Fjord", 0.03),
)

FREE_NOTES = (
    "Contattare il familiare per i controlli.",
    "Paziente informato, consenso firmato.",
    "Riferisce allergia al mezzo di contrasto.",
    "Terapia anticoagulante da rivalutare.",
    "Documentazione esterna in cartella.",
    "Recapito da verificare allo sportello.",
)


def department_id(name: str) -> int:
    """Key of the department called `name`."""
    return next(i for i, row in enumerate(DEPARTMENTS, 1) if row.name == name)


def diagnosis_id(name: str) -> int:
    """Key of the diagnosis called `name`."""
    return next(i for i, row in enumerate(DIAGNOSES, 1) if row.name == name)


def procedure_id(name: str) -> int:
    """Key of the procedure called `name`."""
    return next(i for i, row in enumerate(PROCEDURES, 1) if row.name == name)
