"""What can be true of a real hospital only: each query looks for rows that contradict it."""

from __future__ import annotations

import psycopg
import pytest

Warehouse = psycopg.Connection[tuple[object, ...]]

CONTRADICTIONS = {
    "a stay overlaps another of the same patient": """
        SELECT 1 FROM fact_ricovero a JOIN fact_ricovero b USING (id_paziente)
        WHERE a.id_ricovero <> b.id_ricovero AND a.data_ricovero <= b.data_ricovero
          AND coalesce(a.data_dimissione, DATE '2024-12-31') >= b.data_ricovero""",
    "a day case lasts": """
        SELECT 1 FROM fact_ricovero WHERE regime = 'D' AND data_dimissione > data_ricovero""",
    "a stay in an outpatient clinic": """
        SELECT 1 FROM fact_ricovero JOIN dim_reparto USING (id_reparto)
        WHERE tipo_reparto = 'A'""",
    "a stay in a closed unit after 2019": """
        SELECT 1 FROM fact_ricovero JOIN dim_reparto USING (id_reparto)
        WHERE NOT attivo AND data_ricovero >= DATE '2020-01-01'""",
    "a stay under age": """
        SELECT 1 FROM fact_ricovero JOIN dim_paziente USING (id_paziente)
        WHERE data_ricovero < data_nascita + INTERVAL '16 years'""",
    "death in a stay is not death on that day": """
        SELECT 1 FROM fact_ricovero JOIN dim_paziente USING (id_paziente)
        WHERE esito = '2' AND data_decesso IS DISTINCT FROM data_dimissione""",
    "a secondary diagnosis repeats the principal one": """
        SELECT 1 FROM fact_ricovero WHERE id_diagnosi_secondaria = id_diagnosi_principale""",
    "a DRG weight without a DRG": """
        SELECT 1 FROM fact_ricovero
        WHERE (codice_drg IS NULL) <> (peso_drg IS NULL)
           OR (codice_drg IS NULL) <> (importo_rimborso IS NULL)""",
    "an ablation outside its stay": """
        SELECT 1 FROM fact_ablazione a JOIN fact_ricovero r USING (id_ricovero)
        WHERE a.id_paziente <> r.id_paziente OR a.data_procedura < r.data_ricovero
           OR a.data_procedura > r.data_dimissione""",
    "an ablation without a stay during a stay": """
        SELECT 1 FROM fact_ablazione a JOIN fact_ricovero r USING (id_paziente)
        WHERE a.id_ricovero IS NULL AND a.data_procedura
              BETWEEN r.data_ricovero AND coalesce(r.data_dimissione, DATE '2024-12-31')""",
    "pulsed field before 2021": """
        SELECT 1 FROM fact_ablazione WHERE energia = 'PFA' AND data_procedura < DATE '2021-01-01'""",
    "a catheter ablation without energy": """
        SELECT 1 FROM fact_ablazione WHERE ablazione_transcatetere AND energia IS NULL""",
    "numero_procedura does not count": """
        SELECT 1 FROM (SELECT numero_procedura, row_number() OVER (
            PARTITION BY id_paziente ORDER BY id_ablazione) AS expected FROM fact_ablazione) n
        WHERE numero_procedura <> expected""",
    "keys of ablations are not in order of day": """
        SELECT 1 FROM (SELECT data_procedura, lag(data_procedura) OVER (
            ORDER BY id_ablazione) AS previous FROM fact_ablazione) o
        WHERE data_procedura < previous""",
    "an ablation without exactly 1 to 4 numbered details": """
        SELECT 1 FROM fact_ablazione LEFT JOIN fact_ablazione_procedura_patologia p
            USING (id_ablazione)
        GROUP BY id_ablazione HAVING count(progressivo) NOT BETWEEN 1 AND 4
            OR max(progressivo) <> count(progressivo) OR min(progressivo) <> 1""",
    "an ablation that treats nothing": """
        SELECT 1 FROM fact_ablazione_procedura_patologia
        GROUP BY id_ablazione HAVING count(patologia) = 0""",
    "a cardioversion mixes up its methods": """
        SELECT 1 FROM fact_cardioversione
        WHERE (tipo_cardioversione = 'E') <> (energia_joule IS NOT NULL)
           OR (tipo_cardioversione = 'E') <> (numero_shock IS NOT NULL)
           OR (tipo_cardioversione = 'F') <> (farmaco IS NOT NULL)""",
    "success without sinus rhythm, or the reverse": """
        SELECT 1 FROM fact_cardioversione
        WHERE (esito_cardioversione = 'S') <> (ritmo_post = 'ritmo sinusale')""",
    "a replacement of nothing": """
        SELECT 1 FROM fact_dispositivo n WHERE motivo_intervento <> 'P' AND NOT EXISTS (
            SELECT 1 FROM fact_dispositivo o
            WHERE o.id_paziente = n.id_paziente AND o.data_espianto = n.data_impianto)""",
    "measures of a visit that did not take place": """
        SELECT 1 FROM fact_visita WHERE stato_visita <> 'E' AND num_nonnulls(id_diagnosi,
            pressione_sistolica, pressione_diastolica, frequenza_cardiaca, peso_kg, altezza_cm) > 0""",
    "diastolic above systolic": """
        SELECT 1 FROM fact_visita WHERE pressione_diastolica >= pressione_sistolica""",
    "a patient's height changes": """
        SELECT 1 FROM fact_visita GROUP BY id_paziente HAVING count(DISTINCT altezza_cm) > 1""",
    "a visit of an inpatient": """
        SELECT 1 FROM fact_visita v JOIN fact_ricovero r USING (id_paziente)
        WHERE v.data_visita
              BETWEEN r.data_ricovero AND coalesce(r.data_dimissione, DATE '2024-12-31')""",
    "a result of an examination never reported": """
        SELECT 1 FROM fact_esame WHERE (data_referto IS NULL) <> (esito_esame IS NULL)
           OR (valore IS NOT NULL AND (data_referto IS NULL OR unita_misura IS NULL))""",
    "an examination outside its stay": """
        SELECT 1 FROM fact_esame e JOIN fact_ricovero r USING (id_ricovero)
        WHERE e.id_paziente <> r.id_paziente OR e.data_esecuzione < r.data_ricovero
           OR e.data_esecuzione > r.data_dimissione""",
    "an examination asked for at another patient's visit": """
        SELECT 1 FROM fact_esame e JOIN fact_visita v USING (id_visita)
        WHERE e.id_paziente <> v.id_paziente OR e.data_richiesta <> v.data_visita""",
    "an event after death or before birth": """
        SELECT 1 FROM dim_paziente JOIN (
            SELECT id_paziente, data_ricovero AS giorno FROM fact_ricovero
            UNION ALL SELECT id_paziente, data_dimissione FROM fact_ricovero
            UNION ALL SELECT id_paziente, data_procedura FROM fact_ablazione
            UNION ALL SELECT id_paziente, data_prenotazione FROM fact_ablazione
            UNION ALL SELECT id_paziente, data_procedura FROM fact_cardioversione
            UNION ALL SELECT id_paziente, data_impianto FROM fact_dispositivo
            UNION ALL SELECT id_paziente, data_espianto FROM fact_dispositivo
            UNION ALL SELECT id_paziente, data_visita FROM fact_visita
            UNION ALL SELECT id_paziente, data_richiesta FROM fact_esame
            UNION ALL SELECT id_paziente, data_esecuzione FROM fact_esame) e USING (id_paziente)
        WHERE giorno > data_decesso OR giorno <= data_nascita OR giorno > DATE '2024-12-31'""",
    "a name that does not fit the sex": """
        SELECT 1 FROM dim_paziente GROUP BY nome HAVING count(DISTINCT sesso) > 1""",
}

# the column with the day's key and the column with the day
DAY_KEYS = {
    "fact_ricovero": ("data_key_ricovero", "data_ricovero"),
    "fact_ablazione": ("data_key_procedura", "data_procedura"),
    "fact_cardioversione": ("data_key_procedura", "data_procedura"),
    "fact_dispositivo": ("data_key_impianto", "data_impianto"),
    "fact_visita": ("data_key_visita", "data_visita"),
    "fact_esame": ("data_key_esecuzione", "data_esecuzione"),
}


@pytest.fixture(autouse=True)
def _path(warehouse: Warehouse) -> None:
    warehouse.execute("SET search_path TO datawarehouse")


def number(warehouse: Warehouse, query: str) -> float:
    row = warehouse.execute(query.encode()).fetchone()
    assert row is not None
    return float(str(row[0]))


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_no_row_contradicts(warehouse: Warehouse, name: str) -> None:
    assert number(warehouse, f"SELECT count(*) FROM ({CONTRADICTIONS[name]}) x") == 0


@pytest.mark.parametrize("table", DAY_KEYS)
def test_the_key_of_a_day_is_the_day(warehouse: Warehouse, table: str) -> None:
    key, day = DAY_KEYS[table]
    wrong = f"""SELECT count(*) FROM {table} f LEFT JOIN dim_tempo t ON t.data_key = f.{key}
        WHERE t.data IS DISTINCT FROM f.{day}"""
    assert number(warehouse, wrong) == 0


def test_the_calendar_agrees_with_postgresql(warehouse: Warehouse) -> None:
    wrong = """SELECT count(*) FROM dim_tempo WHERE (anno, trimestre, mese, giorno_settimana) <>
        (extract(year FROM data), extract(quarter FROM data), extract(month FROM data),
         extract(isodow FROM data)) OR fine_settimana <> (extract(isodow FROM data) > 5)
        OR festivo <> (to_char(data, 'MMDD') IN ('0101', '0106', '0425', '0501', '0602', '0815',
                                                 '1101', '1208', '1225', '1226'))"""
    assert number(warehouse, wrong) == 0
    assert number(warehouse, "SELECT count(*) FROM dim_tempo") == 2_922


def test_about_one_stay_in_eleven_is_followed_by_a_readmission(warehouse: Warehouse) -> None:
    share = number(
        warehouse,
        """SELECT avg(EXISTS (SELECT FROM fact_ricovero n WHERE n.id_paziente = r.id_paziente
            AND n.data_ricovero - r.data_dimissione BETWEEN 1 AND 30)::int)
        FROM fact_ricovero r WHERE esito <> '2'""",
    )
    assert 0.07 < share < 0.12


def test_the_data_have_the_irregularities_of_real_ones(warehouse: Warehouse) -> None:
    facts = {
        "open stays": "SELECT count(*) FROM fact_ricovero WHERE data_dimissione IS NULL",
        "unread forms": "SELECT count(*) FROM fact_ablazione WHERE complicanza IS NULL",
        "redo procedures": "SELECT count(*) FROM fact_ablazione WHERE numero_procedura > 1",
        "surgery": "SELECT count(*) FROM fact_ablazione WHERE NOT ablazione_transcatetere",
        "never done": "SELECT count(*) FROM fact_esame WHERE data_esecuzione IS NULL",
        "transfers": """SELECT count(*) FROM fact_ricovero
            WHERE id_reparto <> id_reparto_dimissione""",
        "never admitted": """SELECT count(*) FROM dim_paziente p WHERE NOT EXISTS (
            SELECT FROM fact_ricovero r WHERE r.id_paziente = p.id_paziente)""",
        "abroad": "SELECT count(*) FROM dim_paziente WHERE regione IS NULL",
        "one disease twice in an ablation": """SELECT count(*) FROM (
            SELECT 1 FROM fact_ablazione_procedura_patologia WHERE patologia IS NOT NULL
            GROUP BY id_ablazione, patologia HAVING count(*) > 1) d""",
    }
    assert [name for name, query in facts.items() if number(warehouse, query) < 5] == []
