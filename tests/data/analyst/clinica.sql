-- A small clinic in which every kind of question of the reviewer has a place: two amounts, two
-- dates, two wards, a value in two columns, codes that only a comment explains.
CREATE SCHEMA dw;
CREATE TABLE dw.dim_paziente (
    id_paziente integer PRIMARY KEY,
    cognome text NOT NULL,
    sesso char(1) NOT NULL
);
CREATE TABLE dw.dim_reparto (
    id_reparto integer PRIMARY KEY,
    descrizione text NOT NULL
);
CREATE TABLE dw.fact_ricovero (
    id_ricovero integer PRIMARY KEY,
    id_paziente integer NOT NULL REFERENCES dw.dim_paziente (id_paziente),
    id_reparto integer NOT NULL REFERENCES dw.dim_reparto (id_reparto),
    id_reparto_dimissione integer REFERENCES dw.dim_reparto (id_reparto),
    data_ricovero date NOT NULL,
    data_dimissione date,
    regime char(1) NOT NULL,
    importo numeric(10, 2) NOT NULL
);
CREATE TABLE dw.fact_cardioversione (
    id_cardioversione integer PRIMARY KEY,
    id_paziente integer NOT NULL REFERENCES dw.dim_paziente (id_paziente),
    data_procedura date NOT NULL,
    ritmo_pre text NOT NULL,
    ritmo_post text NOT NULL
);
CREATE TABLE dw.fact_dispositivo (
    id_dispositivo integer PRIMARY KEY,
    id_paziente integer NOT NULL REFERENCES dw.dim_paziente (id_paziente),
    data_impianto date NOT NULL,
    tipo_dispositivo varchar(5) NOT NULL,
    importo numeric(10, 2) NOT NULL
);
COMMENT ON TABLE dw.dim_paziente IS 'Pazienti, una riga per paziente';
COMMENT ON COLUMN dw.dim_paziente.sesso IS 'Sesso: M = maschio (uomo, uomini), F = femmina (donna, donne)';
COMMENT ON TABLE dw.dim_reparto IS 'Reparti, una riga ciascuno';
COMMENT ON COLUMN dw.dim_reparto.descrizione IS 'Nome del reparto per esteso';
COMMENT ON TABLE dw.fact_ricovero IS 'Ricoveri, una riga per ricovero';
COMMENT ON COLUMN dw.fact_ricovero.id_reparto IS 'Reparto che ha accettato il paziente';
COMMENT ON COLUMN dw.fact_ricovero.id_reparto_dimissione IS 'Reparto da cui il paziente è uscito';
COMMENT ON COLUMN dw.fact_ricovero.data_ricovero IS 'Data di ammissione. Data di riferimento per i ricoveri di un periodo';
COMMENT ON COLUMN dw.fact_ricovero.data_dimissione IS 'Data di uscita';
COMMENT ON COLUMN dw.fact_ricovero.regime IS 'Regime: O = ordinario, D = day hospital';
COMMENT ON COLUMN dw.fact_ricovero.importo IS 'Rimborso, in euro';
COMMENT ON COLUMN dw.fact_dispositivo.importo IS 'Prezzo, in euro';
COMMENT ON TABLE dw.fact_cardioversione IS 'Cardioversioni, una riga per procedura';
COMMENT ON COLUMN dw.fact_cardioversione.ritmo_pre IS 'Ritmo prima';
COMMENT ON COLUMN dw.fact_cardioversione.ritmo_post IS 'Ritmo dopo';
COMMENT ON TABLE dw.fact_dispositivo IS 'Dispositivi impiantati, una riga per impianto';
COMMENT ON COLUMN dw.fact_dispositivo.tipo_dispositivo IS 'Tipo: PM = pacemaker, ICD = defibrillatore';
INSERT INTO dw.dim_paziente VALUES (1, 'Rossi', 'F'), (2, 'Bianchi', 'M'), (3, 'Verdi', 'F');
INSERT INTO dw.dim_reparto VALUES (1, 'Cardiologia'), (2, 'Elettrofisiologia'), (3, 'Medicina');
INSERT INTO dw.fact_ricovero VALUES
    (1, 1, 1, 1, '2022-12-30', '2023-01-05', 'O', 700),
    (2, 1, 2, 1, '2023-03-01', '2023-03-04', 'O', 1100),
    (3, 2, 2, 2, '2023-06-10', '2023-06-10', 'D', 300),
    (4, 3, 3, 2, '2023-12-28', '2024-01-02', 'O', 650),
    (5, 3, 1, 1, '2024-05-05', '2024-05-05', 'D', 200);
INSERT INTO dw.fact_cardioversione VALUES
    (1, 1, '2023-02-01', 'fibrillazione atriale', 'ritmo sinusale'),
    (2, 2, '2023-02-11', 'flutter atriale', 'ritmo sinusale'),
    (3, 3, '2023-04-01', 'fibrillazione atriale', 'fibrillazione atriale'),
    (4, 3, '2024-04-01', 'fibrillazione atriale', 'ritmo sinusale');
INSERT INTO dw.fact_dispositivo VALUES
    (1, 1, '2022-05-01', 'PM', 3000), (2, 2, '2023-05-01', 'PM', 3200),
    (3, 3, '2023-07-01', 'ICD', 9000);
ANALYZE;
